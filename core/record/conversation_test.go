package record

import (
	"context"
	"testing"

	"github.com/bookend-rag/bookend/core"
)

type conversationKey struct{}

func TestConversation(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	r := mustOpen(t, path, Config{Conversation: func(ctx context.Context) string {
		id, _ := ctx.Value(conversationKey{}).(string)
		return id
	}}, newClock().now)
	a, err := core.New(core.Config{Observe: r.Observe})
	if err != nil {
		t.Fatal(err)
	}
	for _, ctx := range []context.Context{context.WithValue(t.Context(), conversationKey{}, "c-1"), t.Context()} {
		if _, err := core.Transform(ctx, a, documents(2), view, core.Call{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	entries, _ := mustRead(t, path)
	if len(entries) != 2 || entries[0].Conversation != "c-1" || entries[1].Conversation != "" {
		t.Errorf("%+v", entries)
	}
}
