package langchaingo

import "github.com/bookend-rag/bookend/core"

// The direction of schema.Document.Score for each vector store of langchaingo
// v0.1.14, for core.Config.Direction. Some stores answer with a similarity and
// some with a distance, and in a few it depends on the metric: those have a value
// for each metric, since a value for the store would be wrong for somebody.
//
//	core.Config{Rank: core.ByScore, Direction: bookend.PGVectorScores}
//
// A direction is needed for core.ByScore and for a Threshold alone. Every store
// answers best first, and the default trusts that order. What answers without a
// question (Search of pgvector, dolt and mariadb, MetadataSearch of weaviate) sets
// no score at all: keep the default there, and no threshold.
//
// Each comment names the file that it was read from; docs/stores.md has the
// functions, the order of the results, and what the database adds.
const (
	// AlloyDBCosineScores is for alloydb with CosineDistance, its default: Score is
	// the distance. Read from vectorstores/alloydb/distance_strategy.go.
	AlloyDBCosineScores = core.LowerIsBetter
	// AlloyDBEuclideanScores is for alloydb with Euclidean: Score is the distance.
	// Read from vectorstores/alloydb/distance_strategy.go.
	AlloyDBEuclideanScores = core.LowerIsBetter
	// AlloyDBInnerProductScores is for alloydb with InnerProduct: Score is the inner
	// product itself, a similarity, although the query calls it a distance. Read
	// from vectorstores/alloydb/distance_strategy.go.
	AlloyDBInnerProductScores = core.HigherIsBetter

	// AzureAISearchScores is for azureaisearch: Score is the service's
	// @search.score, a relevance. Read from
	// vectorstores/azureaisearch/azureaisearch.go.
	AzureAISearchScores = core.HigherIsBetter

	// BedrockKnowledgeBasesScores is for bedrockknowledgebases: Score is the
	// service's relevance. Read from
	// vectorstores/bedrockknowledgebases/bedrockknowledgebases.go.
	BedrockKnowledgeBasesScores = core.HigherIsBetter

	// ChromaScores is for chroma with any distance function: Score is 1 minus the
	// distance, and below 0 for a distance over 1. Read from
	// vectorstores/chroma/chroma.go.
	ChromaScores = core.HigherIsBetter

	// CloudSQLCosineScores is for cloudsql with CosineDistance, its default: Score
	// is the distance. Read from vectorstores/cloudsql/distance_strategy.go.
	CloudSQLCosineScores = core.LowerIsBetter
	// CloudSQLEuclideanScores is for cloudsql with Euclidean: Score is the distance.
	// Read from vectorstores/cloudsql/distance_strategy.go.
	CloudSQLEuclideanScores = core.LowerIsBetter
	// CloudSQLInnerProductScores is for cloudsql with InnerProduct: Score is the
	// inner product itself, a similarity, although the query calls it a distance.
	// Read from vectorstores/cloudsql/distance_strategy.go.
	CloudSQLInnerProductScores = core.HigherIsBetter

	// DoltScores is for dolt: Score is 1 minus the squared Euclidean distance, and
	// below 0 for a distance over 1. Read from vectorstores/dolt/dolt.go.
	DoltScores = core.HigherIsBetter

	// MariaDBScores is for mariadb: Score is 1 minus the cosine distance. Read from
	// vectorstores/mariadb/mariadb.go.
	MariaDBScores = core.HigherIsBetter

	// MilvusL2Scores is for milvus with the metric L2, the default of milvus but not
	// of milvus/v2: Score is the squared distance. Read from
	// vectorstores/milvus/milvus.go and vectorstores/milvus/v2/milvus.go.
	MilvusL2Scores = core.LowerIsBetter
	// MilvusIPScores is for milvus with the metric IP: Score is the inner product.
	// Read from vectorstores/milvus/milvus.go and vectorstores/milvus/v2/milvus.go.
	MilvusIPScores = core.HigherIsBetter
	// MilvusCosineScores is for milvus with the metric COSINE: Score is the cosine
	// similarity. Read from vectorstores/milvus/milvus.go and
	// vectorstores/milvus/v2/milvus.go.
	MilvusCosineScores = core.HigherIsBetter

	// MongoVectorScores is for mongovector with any similarity function: Score is
	// the database's vectorSearchScore. Read from
	// vectorstores/mongovector/mongovector.go.
	MongoVectorScores = core.HigherIsBetter

	// OpenSearchScores is for opensearch with any space type: Score is the engine's
	// _score. Read from vectorstores/opensearch/opensearch.go.
	OpenSearchScores = core.HigherIsBetter

	// PGVectorScores is for pgvector: Score is 1 minus the cosine distance, whatever
	// the index was built for. Read from vectorstores/pgvector/pgvector.go.
	PGVectorScores = core.HigherIsBetter

	// PineconeCosineScores is for a pinecone index with the metric cosine: Score is
	// the similarity. Read from vectorstores/pinecone/pinecone.go.
	PineconeCosineScores = core.HigherIsBetter
	// PineconeDotProductScores is for a pinecone index with the metric dotproduct:
	// Score is the product. Read from vectorstores/pinecone/pinecone.go.
	PineconeDotProductScores = core.HigherIsBetter
	// PineconeEuclideanScores is for a pinecone index with the metric euclidean:
	// Score is the squared distance. Read from vectorstores/pinecone/pinecone.go.
	PineconeEuclideanScores = core.LowerIsBetter

	// QdrantCosineScores is for a qdrant collection with the distance Cosine: Score
	// is the similarity. Read from vectorstores/qdrant/rest.go.
	QdrantCosineScores = core.HigherIsBetter
	// QdrantDotScores is for a qdrant collection with the distance Dot: Score is the
	// product. Read from vectorstores/qdrant/rest.go.
	QdrantDotScores = core.HigherIsBetter
	// QdrantEuclidScores is for a qdrant collection with the distance Euclid: Score
	// is the distance. Read from vectorstores/qdrant/rest.go.
	QdrantEuclidScores = core.LowerIsBetter
	// QdrantManhattanScores is for a qdrant collection with the distance Manhattan:
	// Score is the distance. Read from vectorstores/qdrant/rest.go.
	QdrantManhattanScores = core.LowerIsBetter

	// RedisVectorScores is for redisvector with any metric: Score is the distance,
	// also for IP, where Redis computes 1 minus the product. Read from
	// vectorstores/redisvector/redis_client.go.
	RedisVectorScores = core.LowerIsBetter

	// WeaviateScores is for SimilaritySearch of weaviate over a class with the
	// distance cosine: Score is the certainty. For other distances weaviate has no
	// certainty, and Score stays 0. Read from vectorstores/weaviate/weaviate.go.
	WeaviateScores = core.HigherIsBetter
)
