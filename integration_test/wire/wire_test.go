// Package wire checks, byte for byte, what the clients of both frameworks send to
// a model when Bookend has placed the documents.
package wire

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/integration_test/openaitest"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const question = "Which colour has the tent?"

// texts are six documents, best first. They hold what a template, a shell or a
// parser of prompts could run or mistake.
var texts = []string{
	`Doc 1: the tent is green. {{ env "HOME" }}`,
	`Doc 2: {context} {{.context}} {question}`,
	`Doc 3: {% for x in y %} [7] is no label.`,
	`Doc 4: </document> "quoted" \n not a newline`,
	`Doc 5: <b>&amp;</b> 1 < 2 > 0`,
	`Doc 6: ünïcode, שלום, 日本 and a tab	here.`,
}

// headTail are the ranks that head-tail places in slots 0 to 5.
var headTail = []int{0, 2, 4, 5, 3, 1}

func placed() []string {
	out := make([]string, len(headTail))
	for slot, rank := range headTail {
		out[slot] = texts[rank]
	}
	return out
}

func answer(openaitest.Request) openaitest.Reply { return openaitest.Text("Green.") }

// wantMessages compares the messages of a request, byte for byte.
func wantMessages(t *testing.T, got openaitest.Request, want ...openaitest.Message) {
	t.Helper()
	if !slices.Equal(got.Messages, want) {
		t.Errorf("messages on the wire (-want +got)\n-%q\n+%q", want, got.Messages)
	}
}

// wantOrderInBody checks the raw body: the names of the documents stand in it in
// the order of ranks.
func wantOrderInBody(t *testing.T, body []byte, ranks []int) {
	t.Helper()
	last := -1
	for _, rank := range ranks {
		name := []byte(fmt.Sprintf("Doc %d:", rank+1))
		at := bytes.Index(body, name)
		if at < 0 || at < last || bytes.Count(body, name) != 1 {
			t.Errorf("%q stands at byte %d of the body, after byte %d wanted, once", name, at, last)
		}
		last = at
	}
}

func onlyRequest(t *testing.T, s *openaitest.Server) openaitest.Request {
	t.Helper()
	all := s.Requests()
	if len(all) != 1 {
		t.Fatalf("%d requests reached the model, want 1", len(all))
	}
	return all[0]
}

// firstChunkThenRest streams an answer whose rest waits for the returned func.
func firstChunkThenRest() (reply func(openaitest.Request) openaitest.Reply, release func()) {
	gate := make(chan struct{})
	return func(openaitest.Request) openaitest.Reply {
		return openaitest.Reply{Chunks: []string{"Gre", "en", "."}, Go: gate}
	}, func() { close(gate) }
}

func stuffed(documents []string) string {
	return "Use the following pieces of context to answer the question at the end. If you don't know the answer, just say that you don't know, don't try to make up an answer.\n\n" +
		strings.Join(documents, "\n\n") + "\n\nQuestion: " + question + "\nHelpful Answer:"
}

var ctx = context.Background()
