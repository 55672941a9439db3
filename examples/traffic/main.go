// The traffic example finds a model's position curve in production: a service sends
// a fifth of its requests to random orders and records where each document stood and
// which ones the answer cited. It serves a day of simulated requests whose reader
// has a planted curve, and finds it again, without known answers and without an
// extra call.
//
//	go run ./examples/traffic
//	go run ./examples/traffic -reader recency -out traffic.jsonl
//	go run ./cmd/bookend curve --traffic traffic.jsonl
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/prompt"
	"github.com/bookend-rag/bookend/core/record"
	"github.com/bookend-rag/bookend/examples/internal/cli"
	"github.com/bookend-rag/bookend/examples/internal/page"
	"github.com/bookend-rag/bookend/measure/traffic"
)

const documents = 10

// share is a fifth, so that a small day is enough; 1 % does on a busy service.
var share = core.Share{Rate: 0.2, Seed: 2026}

// curves are what can be planted: how much each slot is used.
var curves = map[string][]float64{
	"u":       {1.5, 1.2, 1.0, 0.8, 0.7, 0.7, 0.8, 0.9, 1.1, 1.3},
	"primacy": {1.6, 1.4, 1.2, 1.1, 1.0, 0.9, 0.8, 0.7, 0.7, 0.6},
	"recency": {0.6, 0.7, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.4, 1.6},
	"flat":    {1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
}

// service answers questions from ten retrieved documents.
type service struct {
	arranger *core.Arranger
	renderer *prompt.Renderer
	recorder *record.Recorder
	model    func(prompt string) string
}

func newService(recorder *record.Recorder, model func(string) string) (*service, error) {
	config, err := share.In(core.Config{Observe: recorder.Observe})
	if err != nil {
		return nil, err
	}
	arranger, err := core.New(config)
	if err != nil {
		return nil, err
	}
	renderer, err := prompt.New(prompt.Config{Instruction: "Answer from the documents, and cite them by their numbers."})
	if err != nil {
		return nil, err
	}
	return &service{arranger, renderer, recorder, model}, nil
}

// ServeHTTP answers the parameter q.
func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, question := r.Header.Get("X-Request-ID"), r.URL.Query().Get("q")
	ctx := core.WithRequestID(r.Context(), id)
	p, err := prompt.Build(ctx, s.renderer, s.arranger, retrieve(question), view, prompt.Input{Question: question})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	answer := s.model(p.Text)
	s.recorder.Answer(id, answer)
	fmt.Fprintln(w, answer)
}

var view = &core.View[string]{Text: func(text string) string { return text }}

// retrieve stands in for a retriever: the best passage first.
func retrieve(question string) []string {
	passages := make([]string, documents)
	for rank := range passages {
		passages[rank] = fmt.Sprintf("Passage %d about %s.", rank+1, question)
	}
	return passages
}

var label = regexp.MustCompile(`\[(\d+)\] Passage`)

// simulated stands in for a model: it sees in the prompt which label stands where,
// and cites as the planted reader does. Put your own model here.
func simulated(reader *traffic.Reader) func(string) string {
	var mu sync.Mutex
	return func(text string) string {
		var order []int // the rank in each slot
		for _, found := range label.FindAllStringSubmatch(text, -1) {
			n, _ := strconv.Atoi(found[1])
			order = append(order, n-1)
		}
		mu.Lock()
		defer mu.Unlock()
		answer := "So it is"
		for _, slot := range reader.Cite(order) {
			answer += fmt.Sprintf(" [%d]", order[slot]+1)
		}
		return answer + "."
	}
}

func main() { cli.Main(run) }

func run(ctx context.Context, args []string, out io.Writer) (err error) {
	flags := flag.NewFlagSet("traffic", flag.ContinueOnError)
	name := flags.String("reader", "u", "planted `curve`: u, primacy, recency or flat")
	requests := flags.Int("requests", 9_000, "how many `requests` the day has")
	path := flags.String("out", "", "`file` for the records; without it they are removed afterwards")
	if err := cli.Parse(flags, args, out); err != nil {
		return err
	}
	curve := curves[*name]
	if curve == nil || *requests < 1 {
		return fmt.Errorf("-reader %s and -requests %d: use u, primacy, recency or flat, and 1 request or more", *name, *requests)
	}
	if *path == "" {
		dir, err := os.MkdirTemp("", "bookend-traffic-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		*path = filepath.Join(dir, "traffic.jsonl")
	}
	reader, err := traffic.NewReader(traffic.Simulation{
		Curve: curve, Relevance: traffic.FallingRelevance(documents, 0.5, 0.85), Quiet: 0.1, Spread: 0.2, Seed: 7,
	})
	if err != nil {
		return err
	}
	recorder, err := record.Open(*path, record.Config{
		Wait:  10 * time.Minute,
		Model: "simulated " + *name,
		// The share alone makes the curve; leave Keep out for a dry count of all.
		Keep: func(e core.Event) bool { return share.Has(e.RequestID) },
	})
	if err != nil {
		return err
	}
	if err := serve(ctx, recorder, simulated(reader), *requests); err != nil {
		recorder.Close()
		return err
	}
	if err := recorder.Close(); err != nil {
		return err
	}
	return report(out, *path, curve, recorder.Stats())
}

// serve serves a day of requests in process.
func serve(ctx context.Context, recorder *record.Recorder, model func(string) string, requests int) error {
	s, err := newService(recorder, model)
	if err != nil {
		return err
	}
	for i := range requests {
		if err := ctx.Err(); err != nil {
			return err
		}
		request := httptest.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("/?q=subject+%d", i%50), nil)
		request.Header.Set("X-Request-ID", fmt.Sprint("req-", i))
		response := httptest.NewRecorder()
		s.ServeHTTP(response, request)
		if response.Code != http.StatusOK {
			return fmt.Errorf("request %d: %s", i, response.Body)
		}
	}
	return nil
}

// report reads the records and prints what was found beside what was planted.
func report(out io.Writer, path string, curve []float64, stats record.Stats) error {
	collector, err := traffic.NewCollector(traffic.Options{})
	if err != nil {
		return err
	}
	if _, err := collector.ReadFile(path); err != nil {
		return err
	}
	show := page.New(out, page.Width/2)
	show.Lines(fmt.Sprintf("SIMULATED, no measurement: %d requests, %d of them with their documents in random order; %d answers cite nothing.",
		stats.Accepted+stats.Skipped, stats.Written, stats.CitedNothing))
	show.Printf("\n")
	found := collector.Result()
	if len(found.Curves) == 0 || found.Curves[0].Slots == nil {
		show.Printf("These are too few requests for a curve.\n")
		return show.Err()
	}
	sum := 0.0
	for _, v := range curve {
		sum += v
	}
	order, err := core.Order(core.Measured{Curve: found.Curves[0].Curve}, documents)
	if err != nil {
		return err
	}
	ranks := make([]string, len(order))
	for slot, rank := range order {
		ranks[slot] = fmt.Sprintf("r%d", rank+1)
	}
	show.Lines(found.Curves[0].Finding)
	show.Lines("Best order by that curve, r1 is the best match: " + strings.Join(ranks, " "))
	show.Printf("\nHow much each slot is used, where 1 is the average: planted in the simulated\nreader, and found again in what its answers cite.\n\nslot  planted  found  95 %% interval\n")
	for i, s := range found.Curves[0].Slots {
		show.Printf("%4d  %7.2f  %5.2f  %.2f to %.2f   %s\n", s.Slot+1, curve[i]/sum*documents, s.Used, s.Low, s.High, strings.Repeat("█", int(20*s.Used+0.5)))
	}
	return show.Err()
}
