package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/record"
	einobookend "github.com/bookend-rag/bookend/eino"
	"github.com/bookend-rag/bookend/integration_test/openaitest"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/bookend-rag/bookend/langchaingo/combine"
	"github.com/bookend-rag/bookend/measure/traffic"
	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"
	"github.com/tmc/langchaingo/chains"
)

var docName = regexp.MustCompile(`Doc (\d):`)

// citesTheTop is a model that cites, by the labels of ranks, the documents in slots
// 0 and 1 of the prompt that reaches it.
func citesTheTop(r openaitest.Request) openaitest.Reply {
	found := docName.FindAllSubmatch(r.Body, -1)
	return openaitest.Reply{Chunks: []string{"Green [" + string(found[0][1]), "] and [", string(found[1][1]) + "]."}}
}

var half = core.Share{Rate: 0.5, Seed: 52}

// requestIDs are those of a day, of which about half are in the share.
func requestIDs() []string {
	ids := make([]string, 240)
	for i := range ids {
		ids[i] = fmt.Sprint("req-", i)
	}
	return ids
}

// asked is the question of a request: each has another one, since one question that is asked
// over and over tells no more than once.
func asked(ctx context.Context) string { return question + " (" + core.RequestID(ctx) + ")" }

// Whole chains of both frameworks, streamed and not: what the recorder wrote is what
// the model read and cited, and the curve that it makes is the model's.
func TestTrafficOfBothFrameworks(t *testing.T) {
	for name, run := range map[string]func(t *testing.T, s *openaitest.Server, config core.Config, answered func(context.Context, record.Reply)) (ask func(ctx context.Context) error){
		"langchaingo, wrapped stuff chain": func(t *testing.T, s *openaitest.Server, config core.Config, answered func(context.Context, record.Reply)) func(context.Context) error {
			step := must(combine.Wrap(chains.LoadStuffQA(llm(t, s)), bookend.WithConfig(config)))
			step.Answered = answered
			chain := chains.NewRetrievalQA(step, lister{})
			return func(ctx context.Context) error { _, err := chains.Run(ctx, chain, asked(ctx)); return err }
		},
		"langchaingo, layout chain, streamed": func(t *testing.T, s *openaitest.Server, config core.Config, answered func(context.Context, record.Reply)) func(context.Context) error {
			step := must(combine.NewLayoutChain(llm(t, s), combine.LayoutConfig{Config: config, Answered: answered}))
			chain := chains.NewRetrievalQA(step, lister{})
			return func(ctx context.Context) error {
				_, err := chains.Run(ctx, chain, asked(ctx), chains.WithStreamingFunc(func(context.Context, []byte) error { return nil }))
				return err
			}
		},
		"eino, invoked": func(t *testing.T, s *openaitest.Server, config core.Config, answered func(context.Context, record.Reply)) func(context.Context) error {
			graph, handler := recordedGraph(t, s, config), must(einobookend.AnswerHandler(answered))
			return func(ctx context.Context) error {
				_, err := graph.Invoke(ctx, asked(ctx), compose.WithCallbacks(handler))
				return err
			}
		},
		"eino, streamed": func(t *testing.T, s *openaitest.Server, config core.Config, answered func(context.Context, record.Reply)) func(context.Context) error {
			graph, handler := recordedGraph(t, s, config), must(einobookend.AnswerHandler(answered))
			return func(ctx context.Context) error {
				stream, err := graph.Stream(ctx, asked(ctx), compose.WithCallbacks(handler))
				if err != nil {
					return err
				}
				defer stream.Close()
				for err == nil {
					_, err = stream.Recv()
				}
				if errors.Is(err, io.EOF) {
					return nil
				}
				return err
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := openaitest.New(t, citesTheTop)
			path := filepath.Join(t.TempDir(), "traffic.jsonl")
			recorder := must(record.Open(path, record.Config{Wait: time.Hour}))
			config := must(half.In(core.Config{Observe: recorder.Observe}))
			ids := requestIDs()
			var told sync.WaitGroup
			told.Add(len(ids))
			ask := run(t, s, config, func(ctx context.Context, a record.Reply) {
				recorder.Answered(ctx, a)
				told.Done()
			})
			for _, id := range ids {
				if err := ask(core.WithRequestID(ctx, id)); err != nil {
					t.Fatal(err)
				}
			}
			told.Wait()
			if err := recorder.Close(); err != nil {
				t.Fatal(err)
			}
			if got := recorder.Stats(); got != (record.Stats{Accepted: 240, Written: 240, Answered: 240}) {
				t.Errorf("%+v", got)
			}
			checkRecorded(t, path, s, ids)
		})
	}
}

// recordedGraph places and lays out in its template, whose labels the recorder hears.
func recordedGraph(t *testing.T, s *openaitest.Server, config core.Config) program {
	template := must(einobookend.NewChatTemplate(ctx, &einobookend.ChatTemplateConfig{Config: config}))
	return templateProgram(t, s, template)
}

// checkRecorded holds the records against what reached the model.
func checkRecorded(t *testing.T, path string, s *openaitest.Server, ids []string) {
	t.Helper()
	requests := s.Requests()
	order := map[string][]int{} // the ranks as they stood on the wire
	for i, id := range ids {
		for _, found := range docName.FindAllSubmatch(requests[i].Body, -1) {
			n, _ := strconv.Atoi(string(found[1]))
			order[id] = append(order[id], n-1)
		}
	}
	collector := must(traffic.NewCollector(traffic.Options{}))
	shuffled := 0
	_, err := record.Read(path, func(e record.Entry) error {
		on := order[e.RequestID]
		if fmt.Sprint(e.Arrangement.Ranks()) != fmt.Sprint(on) || fmt.Sprint(e.Answer.Ranks) != fmt.Sprint(on[:2]) {
			t.Errorf("%s: recorded %v and cited %v, on the wire %v", e.RequestID, e.Arrangement.Ranks(), e.Answer.Ranks, on)
		}
		if in := half.Has(e.RequestID); in != (e.Arm == record.Shuffled) {
			t.Errorf("%s is in the share: %v, and %s", e.RequestID, in, e.Arm)
		} else if !in && fmt.Sprint(on) != fmt.Sprint(headTail) {
			t.Errorf("%s: outside the share the order is %v", e.RequestID, on)
		}
		if e.Arm == record.Shuffled {
			shuffled++
		}
		collector.Add(e)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	curve := collector.Result().Curves[0]
	if curve.Requests != shuffled || shuffled < 80 || shuffled > 160 {
		t.Fatalf("%d of 240 are shuffled, %d make the curve", shuffled, curve.Requests)
	}
	for _, slot := range curve.Slots {
		if used := slot.Used > 2; used != (slot.Slot < 2) {
			t.Errorf("slot %d is used %.2f times the average", slot.Slot, slot.Used)
		}
	}
	if curve.Verdict == nil || curve.Verdict.Shape != core.ShapePrimacy {
		t.Errorf("found %s", curve.Finding)
	}
}

// A share of zero leaves the prompt on the wire as it is, byte for byte.
func TestShareOfZeroOnTheWire(t *testing.T) {
	s := openaitest.New(t, answer)
	plain := core.Config{TopK: 5, Placement: core.Choice{Placement: core.TailHead}}
	zero := must(core.Share{Seed: 52}.In(plain))
	for _, config := range []core.Config{plain, zero} {
		r := wrapped(t, bookend.WithConfig(config))
		if _, err := chains.Run(core.WithRequestID(ctx, "req-1"), chains.NewRetrievalQAFromLLM(llm(t, s), r), question); err != nil {
			t.Fatal(err)
		}
		template := must(einobookend.NewChatTemplate(ctx, &einobookend.ChatTemplateConfig{Config: config}))
		if _, err := templateProgram(t, s, template).Invoke(core.WithRequestID(ctx, "req-1"), question); err != nil {
			t.Fatal(err)
		}
	}
	seen := s.Requests()
	for i := range 2 {
		if string(seen[i].Body) != string(seen[i+2].Body) {
			t.Errorf("(-without +share of zero)\n-%s\n+%s", seen[i].Body, seen[i+2].Body)
		}
	}
}

// templateProgram retrieves, places and lays out in the template, and asks.
func templateProgram(t *testing.T, s *openaitest.Server, template *einobookend.ChatTemplate) program {
	t.Helper()
	workflow := compose.NewWorkflow[string, *schema.Message]()
	workflow.AddRetrieverNode("retrieve", finder{}).AddInput(compose.START)
	workflow.AddChatTemplateNode("prompt", template).
		AddInput("retrieve", compose.ToField("documents")).AddInput(compose.START, compose.ToField("question"))
	workflow.AddChatModelNode("model", chatModel(t, s)).AddInput("prompt")
	workflow.End().AddInput("model")
	return must(workflow.Compile(ctx))
}
