package core_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
)

// watch returns an observer and the list that it fills.
func watch() (func(context.Context, core.Event), *[]core.Event) {
	events := new([]core.Event)
	return func(_ context.Context, e core.Event) { *events = append(*events, e) }, events
}

func TestObserve(t *testing.T) {
	t.Parallel()
	observe, events := watch()
	docs := parse(t, "A id=a text=one score=1, B id=b text=two score=3, C text=three, D id=d text=one score=2")
	docs[1].meta = map[string]any{"title": "Two", "page": 3}
	a := mustNew(t, core.Config{Rank: core.ByScore, Direction: core.HigherIsBetter, DropSameText: true, Observe: observe})
	ctx := core.WithRequestID(t.Context(), "request-7")

	if _, err := core.Transform(ctx, a, docs, docView, core.Call{Query: "why?"}); err != nil {
		t.Fatal(err)
	}
	same(t, "number of events", 1, len(*events))
	e := (*events)[0]
	same(t, "error", nil, e.Err)
	same(t, "query", "why?", e.Query)
	same(t, "request ID", "request-7", e.RequestID)
	same(t, "ranks", []int{0, 3, 1}, e.Arrangement.Ranks())
	same(t, "labels", map[int]int{1: 0, 2: 1, 3: 3}, e.Arrangement.Labels())
	same(t, "arrangement", asJSON(t, mustArrange(t, a, docs)), asJSON(t, e.Arrangement))

	var texts, ids []string
	var scores []float64
	for rank := range 3 {
		texts, ids = append(texts, e.Text(rank)), append(ids, e.ID(rank))
		s, known := e.Score(rank)
		same(t, "has a score", true, known)
		scores = append(scores, s)
	}
	same(t, "texts by rank, the dropped too", []string{"two", "one", "one"}, texts)
	same(t, "IDs by rank", []string{"b", "d", "a"}, ids)
	same(t, "scores by rank", []float64{3, 2, 1}, scores)
	same(t, "text of the last", "three", e.Text(3))
	same(t, "field of the best", "Two", e.Field(0, "title"))
	same(t, "field that is not there", "", e.Field(1, "title"))
	same(t, "field that is no text", "", e.Field(0, "page"))
	same(t, "ID of the last", "", e.ID(3))
	_, known := e.Score(3)
	same(t, "has the last a score", false, known)
}

func TestEventOutOfRange(t *testing.T) {
	t.Parallel()
	observe, events := watch()
	mustTransform(t, mustNew(t, core.Config{Observe: observe}), parse(t, "A id=a text=one score=1"))
	for _, rank := range []int{-1, 1, 99} {
		e := (*events)[0]
		same(t, "text", "", e.Text(rank))
		same(t, "ID", "", e.ID(rank))
		same(t, "field", "", e.Field(rank, "id"))
		s, known := e.Score(rank)
		same(t, "score", 0, s)
		same(t, "has a score", false, known)
	}
	var zero core.Event
	same(t, "text of the zero Event", "", zero.Text(0))
	same(t, "ID of the zero Event", "", zero.ID(0))
	_, known := zero.Score(0)
	same(t, "has the zero Event a score", false, known)
}

// A view without accessors has nothing to show.
func TestEventWithoutAccessors(t *testing.T) {
	t.Parallel()
	observe, events := watch()
	if _, err := core.Transform(t.Context(), mustNew(t, core.Config{Observe: observe}), named("A B"), nil, core.Call{}); err != nil {
		t.Fatal(err)
	}
	e := (*events)[0]
	same(t, "text", "", e.Text(0))
	same(t, "ID", "", e.ID(0))
	_, known := e.Score(0)
	same(t, "has a score", false, known)
	same(t, "labels", map[int]int{1: 0, 2: 1}, e.Arrangement.Labels())
}

// Each call is observed once, whatever becomes of it.
func TestObserveOncePerCall(t *testing.T) {
	t.Parallel()
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		what   string
		ctx    context.Context
		config core.Config
		docs   []doc
		call   core.Call
		fails  bool
	}{
		{"success", t.Context(), core.Config{}, named("A B"), core.Call{}, false},
		{"nil documents", t.Context(), core.Config{}, nil, core.Call{}, false},
		{"no documents", t.Context(), core.Config{}, []doc{}, core.Call{}, false},
		{"a cancelled context", canceled, core.Config{}, named("A B"), core.Call{}, true},
		{"a negative option", t.Context(), core.Config{}, named("A B"), core.Call{TopK: -1}, true},
		{"a pin over the limit", t.Context(), core.Config{TopK: 1, Pins: []string{"1"}}, parse(t, "A id=1, B id=1"), core.Call{}, true},
		{"a negative count", t.Context(), core.Config{Budget: 1, Count: func(string) int { return -1 }}, named("A B"), core.Call{}, true},
		{"a placement that fails", t.Context(), core.Config{Placement: core.Choice{Placement: fill(1, 1)}}, named("A B"), core.Call{}, true},
	} {
		t.Run(test.what, func(t *testing.T) {
			t.Parallel()
			observe, events := watch()
			notify, notes := watch()
			test.config.Observe = observe
			a := mustNew(t, test.config)
			call := test.call
			call.Observe = notify
			_, err := core.Transform(test.ctx, a, test.docs, docView, call)
			same(t, "does it fail", test.fails, err != nil)
			same(t, "number of events", 1, len(*events))
			same(t, "number of notes", 1, len(*notes))
			for _, e := range []core.Event{(*events)[0], (*notes)[0]} {
				if !errors.Is(e.Err, err) {
					t.Errorf("the event has the error %v, the call %v", e.Err, err)
				}
				same(t, "N", len(test.docs), e.Arrangement.N)
				same(t, "placement", a.Config().Placement.String(), e.Arrangement.Placement)
				if test.fails {
					same(t, "slots", 0, len(e.Arrangement.Slots))
				}
			}

			_, err = core.Arrange(test.ctx, a, test.docs, docView, test.call)
			same(t, "does Arrange fail", test.fails, err != nil)
			same(t, "number of events after Arrange", 2, len(*events))
			same(t, "number of notes after Arrange", 1, len(*notes))
		})
	}
}

// A missing accessor is a failure of the call, which is observed too.
func TestObserveOfAMissingAccessor(t *testing.T) {
	t.Parallel()
	observe, events := watch()
	a := mustNew(t, core.Config{Rank: core.ByScore, Direction: core.HigherIsBetter, Observe: observe})
	_, err := core.Transform(t.Context(), a, named("A"), nil, core.Call{})
	mustBe[*core.ConfigError](t, err)
	same(t, "number of events", 1, len(*events))
	if !errors.Is((*events)[0].Err, err) {
		t.Errorf("the event has the error %v, the call %v", (*events)[0].Err, err)
	}
}

func TestNotify(t *testing.T) {
	t.Parallel()
	var order []string
	log := func(who string) func(context.Context, core.Event) {
		return func(context.Context, core.Event) { order = append(order, who) }
	}
	a := mustNew(t, core.Config{Observe: log("observe")})
	mustTransform(t, a, named("A"), core.Call{Observe: log("notify")})
	same(t, "order", []string{"observe", "notify"}, order)

	order = nil
	mustTransform(t, nil, named("A"), core.Call{Observe: log("notify")})
	same(t, "without an Observe", []string{"notify"}, order)
	mustTransform(t, a, named("A"))
	same(t, "a call later", []string{"notify", "observe"}, order)
	mustTransform(t, core.Off, named("A"), core.Call{Observe: log("off")})
	same(t, "of Off", []string{"notify", "observe", "off"}, order)
}

func TestObserveGetsTheContext(t *testing.T) {
	t.Parallel()
	var got string
	a := mustNew(t, core.Config{Observe: func(ctx context.Context, _ core.Event) { got = core.RequestID(ctx) }})
	if _, err := core.Transform(core.WithRequestID(t.Context(), "r"), a, named("A"), docView, core.Call{}); err != nil {
		t.Fatal(err)
	}
	same(t, "request ID", "r", got)
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	same(t, "none", "", core.RequestID(t.Context()))
	ctx := core.WithRequestID(t.Context(), "outer")
	same(t, "inner", "inner", core.RequestID(core.WithRequestID(ctx, "inner")))
	same(t, "outer", "outer", core.RequestID(ctx))
}

// Select may go by the request ID.
func TestSelectByRequestID(t *testing.T) {
	t.Parallel()
	a := mustNew(t, core.Config{Select: func(ctx context.Context) *core.Arranger {
		if core.RequestID(ctx) == "off" {
			return core.Off
		}
		return nil
	}})
	for id, want := range map[string]string{"off": "A B C", "on": "A C B"} {
		placed, err := core.Transform(core.WithRequestID(t.Context(), id), a, named("A B C"), docView, core.Call{})
		same(t, "error", nil, err)
		same(t, id, want, names(placed))
	}
}

// Logs outlive queries and documents, so that an event shows neither.
func TestEventLog(t *testing.T) {
	t.Parallel()
	observe, events := watch()
	a := mustNew(t, core.Config{Observe: observe})
	docs := []doc{{name: "A", id: "secret-id", text: "secret text", score: missing, meta: map[string]any{"source": "secret source"}}}
	if _, err := core.Transform(core.WithRequestID(t.Context(), "r1"), a, docs, docView, core.Call{Query: "secret question"}); err != nil {
		t.Fatal(err)
	}
	attr := slog.Any("bookend", (*events)[0])
	text := logLine(textHandler, attr)
	same(t, "text", "level=INFO msg=placed bookend.request_id=r1 bookend.arrangement.placement=head-tail"+
		" bookend.arrangement.in=1 bookend.arrangement.placed=1 bookend.arrangement.order=r1\n", text)
	same(t, "JSON", `{"level":"INFO","msg":"placed","bookend":{"request_id":"r1",`+
		`"arrangement":{"placement":"head-tail","in":1,"placed":1,"order":"r1"}}}`+"\n", logLine(jsonHandler, attr))
	if strings.Contains(text, "secret") {
		t.Errorf("the log shows a secret: %s", text)
	}

	failed := slog.Any("bookend", core.Event{Err: errOwn, Arrangement: core.Arrangement{N: 3, Placement: "head-tail"}})
	same(t, "text of a failure", `level=INFO msg=placed bookend.error="no order today" bookend.arrangement.placement=head-tail`+
		` bookend.arrangement.in=3 bookend.arrangement.placed=0 bookend.arrangement.order=""`+"\n", logLine(textHandler, failed))
}

// Whoever sends a request may choose its ID: it cannot forge a record.
func TestNewlineInARequestIDStaysOneRecord(t *testing.T) {
	t.Parallel()
	observe, events := watch()
	a := mustNew(t, core.Config{Observe: observe})
	id := "x\nlevel=ERROR msg=forged\r\n\x1b[31m"
	if _, err := core.Transform(core.WithRequestID(t.Context(), id), a, named("A"), docView, core.Call{}); err != nil {
		t.Fatal(err)
	}
	attr := slog.Any("bookend", (*events)[0])
	text := logLine(textHandler, attr)
	if strings.Count(text, "\n") != 1 || strings.ContainsAny(text, "\r\x1b") {
		t.Errorf("the record is not one line of plain text: %q", text)
	}
	line := logLine(jsonHandler, attr)
	var record struct {
		Bookend struct {
			RequestID string `json:"request_id"`
		}
	}
	if err := json.NewDecoder(bytes.NewBufferString(line)).Decode(&record); err != nil || strings.Count(line, "\n") != 1 {
		t.Errorf("the record is not one line of JSON: %q, %v", line, err)
	}
	same(t, "request ID", id, record.Bookend.RequestID)
}

func TestConfigError(t *testing.T) {
	t.Parallel()
	err := &core.ConfigError{Field: "documents[3]", Rule: "set {Budget}, {Keys.Score} or {not a setting}"}
	same(t, "message", "bookend: documents[3] is nil: set Budget, Keys.Score or {not a setting}", err.Error())
	same(t, "with the caller's names", "set BUDGET, KEYS.SCORE or {not a setting}", err.Explain(strings.ToUpper))
	same(t, "a code as its text", `bookend: Unit is "furlongs": x`, (&core.ConfigError{Field: "Unit", Value: core.Unit("furlongs"), Rule: "x"}).Error())
}
