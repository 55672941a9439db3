// The production example is a small service. Each request has an ID and a
// tenant; the ID decides which arm of an experiment it belongs to, a tenant may
// have settings of its own, every decision is logged as one line of JSON, and the
// answer is streamed.
//
//	go run ./examples/production                   four requests, in process
//	go run ./examples/production -log              and what was logged
//	go run ./examples/production -listen :8080     then: curl 'localhost:8080/?q=How+long+is+credit+valid'
package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/examples/handbook"
	"github.com/bookend-rag/bookend/examples/internal/cli"
	"github.com/bookend-rag/bookend/examples/internal/page"
	"github.com/bookend-rag/bookend/examples/internal/reader"
	"github.com/bookend-rag/bookend/examples/internal/search"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"
)

// tenants holds the settings of tenants that have their own. A service reads
// them from a file; New refuses what cannot be used before the first request.
const tenants = `{
	"northshop": {"placement": "edges-first", "top_k": 6}
}`

// experiment is hashed together with a request's ID. A new experiment gets a new
// number, which deals the requests out anew.
const experiment = 52

type tenantKey struct{}

// newChooser returns what decides, for each request, how documents are placed: by
// the tenant's own settings or else by the arm of the experiment. The same
// request ID always lands in the same arm.
func newChooser() (func(context.Context) *core.Arranger, error) {
	var configs map[string]core.Config
	if err := json.Unmarshal([]byte(tenants), &configs); err != nil {
		return nil, err
	}
	own := map[string]*core.Arranger{}
	for tenant, config := range configs {
		arranger, err := core.New(config)
		if err != nil {
			return nil, fmt.Errorf("tenant %s: %w", tenant, err)
		}
		own[tenant] = arranger
	}
	headTail, err := core.New(core.Config{})
	if err != nil {
		return nil, err
	}
	reversed, err := headTail.With(core.Reversed)
	if err != nil {
		return nil, err
	}
	arms := []*core.Arranger{headTail, reversed, core.Off}
	return func(ctx context.Context) *core.Arranger {
		tenant, _ := ctx.Value(tenantKey{}).(string)
		if arranger := own[tenant]; arranger != nil {
			return arranger
		}
		return arms[core.SeedFor(experiment, core.RequestID(ctx))%uint64(len(arms))]
	}, nil
}

// service answers questions over HTTP. One chain serves all requests.
type service struct {
	chain chains.Chain
	log   *slog.Logger
}

func newService(llm llms.Model, retriever schema.Retriever, log *slog.Logger) (*service, error) {
	choose, err := newChooser()
	if err != nil {
		return nil, err
	}
	placed, err := bookend.NewRetriever(retriever, bookend.WithConfig(core.Config{
		Select: choose,
		Observe: func(ctx context.Context, e core.Event) {
			level := slog.LevelInfo
			if e.Err != nil {
				level = slog.LevelError
			}
			// The event logs its request ID and the order, never a text or the query.
			log.LogAttrs(ctx, level, "documents placed", slog.Any("tenant", ctx.Value(tenantKey{})), slog.Any("bookend", e))
		},
	}))
	if err != nil {
		return nil, err
	}
	return &service{chains.NewRetrievalQAFromLLM(llm, placed), log}, nil
}

// ServeHTTP streams the answer to the parameter q.
func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	question := r.URL.Query().Get("q")
	if question == "" {
		http.Error(w, "ask with ?q=", http.StatusBadRequest)
		return
	}
	id := cmp.Or(r.Header.Get("X-Request-ID"), rand.Text())
	ctx := core.WithRequestID(r.Context(), id)
	ctx = context.WithValue(ctx, tenantKey{}, cmp.Or(r.Header.Get("X-Tenant"), "public")) // in earnest: from the login

	w.Header().Set("X-Request-ID", id) // feedback on the answer names it, and so the arm
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	started := false
	_, err := chains.Run(ctx, s.chain, question, chains.WithStreamingFunc(func(_ context.Context, piece []byte) error {
		started = true
		if _, err := w.Write(piece); err != nil {
			return err
		}
		return http.NewResponseController(w).Flush()
	}))
	if err == nil {
		return
	}
	s.log.ErrorContext(ctx, "no answer", "request_id", id, "error", err.Error())
	if started {
		panic(http.ErrAbortHandler) // or the reader takes half an answer for the whole
	}
	http.Error(w, "something went wrong", http.StatusInternalServerError)
}

func main() {
	cli.Main(func(ctx context.Context, args []string, out io.Writer) error {
		return run(ctx, args, out, func(to io.Writer) *slog.Logger { return slog.New(slog.NewJSONHandler(to, nil)) })
	})
}

func run(ctx context.Context, args []string, out io.Writer, newLog func(io.Writer) *slog.Logger) error {
	flags := flag.NewFlagSet("production", flag.ContinueOnError)
	showLog := flags.Bool("log", false, "also show what the service logged of the four requests")
	listen := flags.String("listen", "", "`address` to serve on; without it four requests are made in process")
	if err := cli.Parse(flags, args, out); err != nil {
		return err
	}
	store, err := newStore()
	if err != nil {
		return err
	}
	if *listen != "" {
		log := newLog(out)
		service, err := newService(extractive{}, store, log)
		if err != nil {
			return err
		}
		listener, err := net.Listen("tcp", *listen)
		if err != nil {
			return err
		}
		log.InfoContext(ctx, "serving", "address", listener.Addr().String())
		return serve(ctx, &http.Server{Handler: service, ReadHeaderTimeout: 5 * time.Second}, listener)
	}
	var lines bytes.Buffer
	service, err := newService(extractive{}, store, newLog(&lines))
	if err != nil {
		return err
	}
	return fourRequests(ctx, out, service, &lines, *showLog)
}

// fourRequests asks the service one question four times, and shows what its log says.
func fourRequests(ctx context.Context, out io.Writer, service *service, lines *bytes.Buffer, showLog bool) error {
	const question = "Can I get a refund after 45 days?"
	show := page.New(out, page.Width/2)
	show.Printf("Question: %s It is asked four times.\n\n", question)
	show.Printf("%-9s%-11s%-13s%-26s%s\n", "request", "tenant", "placement", "slots, first to last", "left out")
	logged, answers := "", []page.Field{}
	for _, r := range []struct{ id, tenant string }{{"req-1", "public"}, {"req-2", "public"}, {"req-3", "public"}, {"req-4", "northshop"}} {
		request := httptest.NewRequestWithContext(ctx, http.MethodGet, "/?q="+url.QueryEscape(question), nil)
		request.Header.Set("X-Request-ID", r.id)
		request.Header.Set("X-Tenant", r.tenant)
		response := httptest.NewRecorder()
		lines.Reset()
		service.ServeHTTP(response, request)
		logged += lines.String()
		var record struct {
			Tenant  string
			Bookend struct {
				RequestID   string `json:"request_id"`
				Arrangement struct{ Placement, Order, Dropped string }
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &record); err != nil {
			return fmt.Errorf("the log of %s: %w", r.id, err)
		}
		a := record.Bookend.Arrangement
		show.Printf("%s\n", strings.TrimRight(fmt.Sprintf("%-9s%-11s%-13s%-26s%s", record.Bookend.RequestID, record.Tenant, a.Placement, a.Order, a.Dropped), " "))
		answers = append(answers, page.Field{Name: r.id, Text: response.Body.String()})
	}
	show.Printf("\n")
	show.Fields(append(page.Same(answers), page.Field{Name: "by", Text: reader.Name})...)
	show.Printf("\n")
	show.Lines("The ID of a request decides which of three orders it gets; northshop has settings of its own. The table is what the service has logged, one line of JSON a request: -log shows the lines.")
	if showLog {
		show.Printf("\n%s", logged)
	}
	return show.Err()
}

// serve serves until the context ends, and then finishes the answers under way.
func serve(ctx context.Context, server *http.Server, listener net.Listener) error {
	finished := make(chan error, 1)
	stop := context.AfterFunc(ctx, func() { finished <- server.Shutdown(context.WithoutCancel(ctx)) })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-finished
}

// store retrieves the eight best paragraphs of the handbook.
type store struct {
	chunks []handbook.Chunk
	index  *search.Index
}

func newStore() (*store, error) {
	chunks, index, err := search.Handbook()
	return &store{chunks, index}, err
}

func (s *store) GetRelevantDocuments(ctx context.Context, query string) ([]schema.Document, error) {
	hits, err := s.index.Search(ctx, query, 8)
	docs := make([]schema.Document, len(hits))
	for i, h := range hits {
		docs[i] = schema.Document{PageContent: s.chunks[h.Index].Text, Score: float32(h.Score)}
	}
	return docs, err
}

// extractive stands in for a model, so that the example runs offline. It streams
// word by word.
type extractive struct{}

func (extractive) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var settings llms.CallOptions
	for _, o := range options {
		o(&settings)
	}
	prompt, ok := messages[0].Parts[0].(llms.TextContent)
	if !ok {
		return nil, errors.New("the reader reads text")
	}
	answer := reader.Answer(prompt.Text)
	if settings.StreamingFunc != nil {
		for _, word := range strings.SplitAfter(answer, " ") {
			if err := settings.StreamingFunc(ctx, []byte(word)); err != nil {
				return nil, err
			}
		}
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: answer}}}, nil
}

func (e extractive) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, e, prompt, options...)
}
