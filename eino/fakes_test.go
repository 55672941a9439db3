package eino_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	bookend "github.com/bookend-rag/bookend/eino"
	"github.com/cloudwego/eino/components/model"
	"github.com/cloudwego/eino/components/retriever"
	"github.com/cloudwego/eino/schema"
)

// documents returns documents with the texts "first", "second" and so on.
func documents(n int) []*schema.Document {
	docs := make([]*schema.Document, n)
	for i := range docs {
		text := []string{"first", "second", "third", "fourth", "fifth", "sixth"}[i]
		docs[i] = &schema.Document{ID: text, Content: text}
	}
	return docs
}

func texts(docs []*schema.Document) string {
	texts := make([]string, len(docs))
	for i, d := range docs {
		texts[i] = d.Content
	}
	return strings.Join(texts, " ")
}

// list is a retriever that finds the same documents for every question.
type list []*schema.Document

func (l list) Retrieve(context.Context, string, ...retriever.Option) ([]*schema.Document, error) {
	return l, nil
}

// broken is a retriever that fails.
type broken struct{ err error }

func (b broken) Retrieve(context.Context, string, ...retriever.Option) ([]*schema.Document, error) {
	return nil, b.err
}

// asked is a retriever that records what it is asked.
type asked struct {
	list
	query   string
	options []retriever.Option
}

func (a *asked) Retrieve(_ context.Context, query string, options ...retriever.Option) ([]*schema.Document, error) {
	a.query, a.options = query, options
	return a.list, nil
}

// topK returns the top-k that the retriever was asked for, and whether it was.
func (a *asked) topK() (int, bool) {
	k := retriever.GetCommonOptions(nil, a.options...).TopK
	if k == nil {
		return 0, false
	}
	return *k, true
}

// recorder is a chat model that records its messages and answers "yes", in two
// pieces when it streams.
type recorder struct {
	mu      sync.Mutex
	prompts []string
}

func (r *recorder) record(messages []*schema.Message) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, m := range messages {
		r.prompts = append(r.prompts, m.Content)
	}
}

func (r *recorder) Generate(_ context.Context, messages []*schema.Message, _ ...model.Option) (*schema.Message, error) {
	r.record(messages)
	return schema.AssistantMessage("yes", nil), nil
}

func (r *recorder) Stream(_ context.Context, messages []*schema.Message, _ ...model.Option) (*schema.StreamReader[*schema.Message], error) {
	r.record(messages)
	return schema.StreamReaderFromArray([]*schema.Message{
		schema.AssistantMessage("y", nil), schema.AssistantMessage("es", nil),
	}), nil
}

func newTransformer(t *testing.T, c *bookend.Config) *bookend.Transformer {
	t.Helper()
	transformer, err := bookend.NewTransformer(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return transformer
}

func newRetriever(t *testing.T, c *bookend.RetrieverConfig) *bookend.Retriever {
	t.Helper()
	r, err := bookend.NewRetriever(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func checkTexts(t *testing.T, want string, docs []*schema.Document, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if got := texts(docs); got != want {
		t.Errorf("(-want +got)\n-%s\n+%s", want, got)
	}
}

// numbered makes a map of ranks, by labels from 1 on.
func numbered(ranks []int) map[int]int {
	labels := map[int]int{}
	for i, rank := range ranks {
		labels[i+1] = rank
	}
	return labels
}
