package langchaingo_test

import (
	"context"
	"math"
	"testing"

	"github.com/bookend-rag/bookend/core"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/tmc/langchaingo/schema"
)

// vector is a unit vector in the plane, as an embedding is one in more dimensions.
type vector struct{ x, y float64 }

func dot(a, b vector) float64       { return a.x*b.x + a.y*b.y }
func cosine(a, b vector) float64    { return dot(a, b) / math.Hypot(a.x, a.y) / math.Hypot(b.x, b.y) }
func euclidean(a, b vector) float64 { return math.Hypot(a.x-b.x, a.y-b.y) }
func squared(a, b vector) float64   { return euclidean(a, b) * euclidean(a, b) }
func manhattan(a, b vector) float64 { return math.Abs(a.x-b.x) + math.Abs(a.y-b.y) }

func oneMinus(f func(a, b vector) float64) func(a, b vector) float64 {
	return func(a, b vector) float64 { return 1 - f(a, b) }
}

// closer is what services do that answer with a relevance of their own.
func closer(a, b vector) float64 { return 1 / (1 + squared(a, b)) }

// Each store's score is computed here from two vectors, as the store or its
// database does. Ranked by it in the direction that is offered for the store, the
// nearer document has to be the better one.
func TestStoreScores(t *testing.T) {
	t.Parallel()
	query, near, far := vector{1, 0}, vector{0.8, 0.6}, vector{-0.6, 0.8}
	for _, c := range []struct {
		name      string
		direction core.Direction
		score     func(a, b vector) float64
	}{
		{"AlloyDBCosineScores", bookend.AlloyDBCosineScores, oneMinus(cosine)},
		{"AlloyDBEuclideanScores", bookend.AlloyDBEuclideanScores, euclidean},
		{"AlloyDBInnerProductScores", bookend.AlloyDBInnerProductScores, dot},
		{"AzureAISearchScores", bookend.AzureAISearchScores, closer},
		{"BedrockKnowledgeBasesScores", bookend.BedrockKnowledgeBasesScores, closer},
		{"ChromaScores, L2", bookend.ChromaScores, oneMinus(squared)},
		{"ChromaScores, cosine", bookend.ChromaScores, oneMinus(oneMinus(cosine))},
		{"ChromaScores, inner product", bookend.ChromaScores, oneMinus(oneMinus(dot))},
		{"CloudSQLCosineScores", bookend.CloudSQLCosineScores, oneMinus(cosine)},
		{"CloudSQLEuclideanScores", bookend.CloudSQLEuclideanScores, euclidean},
		{"CloudSQLInnerProductScores", bookend.CloudSQLInnerProductScores, dot},
		{"DoltScores", bookend.DoltScores, oneMinus(squared)},
		{"MariaDBScores", bookend.MariaDBScores, oneMinus(oneMinus(cosine))},
		{"MilvusL2Scores", bookend.MilvusL2Scores, squared},
		{"MilvusIPScores", bookend.MilvusIPScores, dot},
		{"MilvusCosineScores", bookend.MilvusCosineScores, cosine},
		{"MongoVectorScores", bookend.MongoVectorScores, closer},
		{"OpenSearchScores", bookend.OpenSearchScores, closer},
		{"PGVectorScores", bookend.PGVectorScores, oneMinus(oneMinus(cosine))},
		{"PineconeCosineScores", bookend.PineconeCosineScores, cosine},
		{"PineconeDotProductScores", bookend.PineconeDotProductScores, dot},
		{"PineconeEuclideanScores", bookend.PineconeEuclideanScores, squared},
		{"QdrantCosineScores", bookend.QdrantCosineScores, cosine},
		{"QdrantDotScores", bookend.QdrantDotScores, dot},
		{"QdrantEuclidScores", bookend.QdrantEuclidScores, euclidean},
		{"QdrantManhattanScores", bookend.QdrantManhattanScores, manhattan},
		{"RedisVectorScores, L2", bookend.RedisVectorScores, squared},
		{"RedisVectorScores, COSINE", bookend.RedisVectorScores, oneMinus(cosine)},
		{"RedisVectorScores, IP", bookend.RedisVectorScores, oneMinus(dot)},
		{"WeaviateScores", bookend.WeaviateScores, func(a, b vector) float64 { return (1 + cosine(a, b)) / 2 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			rank, err := bookend.NewTransformer(bookend.WithConfig(core.Config{
				Rank: core.ByScore, Direction: c.direction, TopK: 1,
			}))
			if err != nil {
				t.Fatal(err)
			}
			best, err := rank.TransformDocuments(context.Background(), []schema.Document{
				{PageContent: "far", Score: float32(c.score(query, far))},
				{PageContent: "near", Score: float32(c.score(query, near))},
			})
			if got := texts(best); err != nil || got != "near" {
				t.Errorf("the best by score (-want +got)\n-near\n+%s %v", got, err)
			}
		})
	}
}
