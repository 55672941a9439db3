package langchaingo

import "github.com/bookend-rag/bookend/core"

// The direction of schema.Document.Score for each vector store of langchaingo v0.1.14, which only core.ByScore
// and a Threshold need: all answer best first. docs/stores.md has the sources, and what sets no score at all.
const (
	AlloyDBCosineScores         = core.LowerIsBetter  // alloydb with CosineDistance, its default: the distance
	AlloyDBEuclideanScores      = core.LowerIsBetter  // alloydb with Euclidean: the distance
	AlloyDBInnerProductScores   = core.HigherIsBetter // alloydb with InnerProduct: the product, which its query calls a distance
	AzureAISearchScores         = core.HigherIsBetter // azureaisearch: the service's @search.score, a relevance
	BedrockKnowledgeBasesScores = core.HigherIsBetter // bedrockknowledgebases: the service's relevance
	ChromaScores                = core.HigherIsBetter // chroma with any distance function: 1 minus the distance, below 0 for a distance over 1
	CloudSQLCosineScores        = core.LowerIsBetter  // cloudsql with CosineDistance, its default: the distance
	CloudSQLEuclideanScores     = core.LowerIsBetter  // cloudsql with Euclidean: the distance
	CloudSQLInnerProductScores  = core.HigherIsBetter // cloudsql with InnerProduct: the product, which its query calls a distance
	DoltScores                  = core.HigherIsBetter // dolt: 1 minus the squared Euclidean distance, below 0 for a distance over 1
	MariaDBScores               = core.HigherIsBetter // mariadb: 1 minus the cosine distance
	MilvusL2Scores              = core.LowerIsBetter  // milvus with L2, the default of milvus but not of milvus/v2: the squared distance
	MilvusIPScores              = core.HigherIsBetter // milvus with IP: the inner product
	MilvusCosineScores          = core.HigherIsBetter // milvus with COSINE: the cosine similarity
	MongoVectorScores           = core.HigherIsBetter // mongovector with any similarity function: the database's vectorSearchScore
	OpenSearchScores            = core.HigherIsBetter // opensearch with any space type: the engine's _score
	PGVectorScores              = core.HigherIsBetter // pgvector: 1 minus the cosine distance, whatever the index was built for
	PineconeCosineScores        = core.HigherIsBetter // a pinecone index with the metric cosine: the similarity
	PineconeDotProductScores    = core.HigherIsBetter // a pinecone index with dotproduct: the product
	PineconeEuclideanScores     = core.LowerIsBetter  // a pinecone index with euclidean: the squared distance
	QdrantCosineScores          = core.HigherIsBetter // a qdrant collection with the distance Cosine: the similarity
	QdrantDotScores             = core.HigherIsBetter // a qdrant collection with Dot: the product
	QdrantEuclidScores          = core.LowerIsBetter  // a qdrant collection with Euclid: the distance
	QdrantManhattanScores       = core.LowerIsBetter  // a qdrant collection with Manhattan: the distance
	RedisVectorScores           = core.LowerIsBetter  // redisvector with any metric: the distance, also for IP: 1 minus the product
	WeaviateScores              = core.HigherIsBetter // SimilaritySearch of weaviate over the distance cosine: the certainty; else Score stays 0
)
