package integration_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	einoretriever "github.com/cloudwego/eino/components/retriever"
	einoschema "github.com/cloudwego/eino/schema"
	lcgschema "github.com/tmc/langchaingo/schema"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/core/pipeline"
	"github.com/bookend-rag/bookend/core/rank"
	"github.com/bookend-rag/bookend/core/record"
	"github.com/bookend-rag/bookend/eino"
	"github.com/bookend-rag/bookend/langchaingo"
)

// quoting is a retriever whose error repeats the question, as a database's does.
type quoting struct{}

func (quoting) fail(question string) error {
	return fmt.Errorf("no rows: SELECT text FROM chunks WHERE match(%q)", question)
}

func (q quoting) Retrieve(_ context.Context, question string, _ ...einoretriever.Option) ([]*einoschema.Document, error) {
	return nil, q.fail(question)
}

func (q quoting) GetRelevantDocuments(_ context.Context, question string) ([]lcgschema.Document, error) {
	return nil, q.fail(question)
}

// What a retriever and a reranker repeat of a request in their errors is in no log, no
// note, no table and no record, whether the request goes on without them or fails.
func TestNoQuestionIsWrittenDown(t *testing.T) {
	t.Parallel()
	const question, text = "Did Zebulon leave Marrakesh?", "Quistgaard left in autumn."
	bodies := []string{
		`{"error":%s}`, `{"message":%s}`, `{"detail":[{"msg":"bad","input":%s}]}`,
		`{"error":{"message":%[1]s,"code":%[1]s,"type":%[1]s}}`, `{"results":[{"index":%s}]}`, `%s`,
	}
	for _, body := range bodies {
		for _, status := range []int{http.StatusOK, http.StatusBadRequest, http.StatusInternalServerError} {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				sent, _ := io.ReadAll(r.Body)
				quoted, _ := json.Marshal(string(sent))
				w.Header().Set("Retry-After", "0")
				w.WriteHeader(status)
				fmt.Fprintf(w, body, quoted)
			}))
			defer server.Close()
			scorer, err := rank.NewHTTP(rank.HTTPConfig{URL: server.URL, Retries: -1})
			if err != nil {
				t.Fatal(err)
			}
			// Both failures are passed over, that of the retriever alone, that of the
			// reranker alone.
			for n, keep := range []struct {
				going bool
				order rank.OnFailure
			}{{true, rank.KeepOrder}, {true, rank.Fail}, {false, rank.KeepOrder}} {
				goesOn := n == 0
				reranker := &rank.Reranker{Scorer: scorer, OnFailure: keep.order}
				for name, run := range map[string]func(context.Context, core.Config) error{
					"langchaingo": func(ctx context.Context, c core.Config) error {
						r, err := langchaingo.NewPipeline(pipeline.Config[lcgschema.Document]{
							Sources: []langchaingo.Source{
								langchaingo.From("dense", lcgList{{PageContent: text, Metadata: map[string]any{"id": "a"}}}),
								langchaingo.From("sparse", quoting{}),
							},
							Fusion: rank.Fusion{KeepGoing: keep.going}, Reranker: reranker, Order: c,
						})
						if err != nil {
							t.Fatal(err)
						}
						_, err = r.GetRelevantDocuments(ctx, question)
						return err
					},
					"eino": func(ctx context.Context, c core.Config) error {
						r, err := eino.NewRetriever(ctx, &eino.RetrieverConfig{
							Sources: []eino.Source{eino.From("dense", einoList{{ID: "a", Content: text}}), eino.From("sparse", quoting{})},
							Fusion:  rank.Fusion{KeepGoing: keep.going}, Reranker: reranker, Config: c,
						})
						if err != nil {
							t.Fatal(err)
						}
						_, err = r.Retrieve(ctx, question)
						return err
					},
				} {
					path := filepath.Join(t.TempDir(), "record.jsonl")
					recorder, err := record.Open(path, record.Config{})
					if err != nil {
						t.Fatal(err)
					}
					var written bytes.Buffer
					log := slog.New(slog.NewJSONHandler(&written, nil))
					events := 0
					ctx, trace := core.WithTrace(core.WithRequestID(context.Background(), "r1"))
					err = run(ctx, core.Config{Observe: func(ctx context.Context, e core.Event) {
						events++
						recorder.Observe(ctx, e)
						log.Info("placed", "event", e)
						a, _ := json.Marshal(e.Arrangement)
						fmt.Fprintf(&written, "%s\n%v\n", a, e.Arrangement)
					}})
					if (err == nil) != goesOn || goesOn && events != 1 {
						t.Fatalf("%s, goes on %v: %d events, error %v", name, goesOn, events, err)
					}
					if err := recorder.Close(); err != nil {
						t.Fatal(err)
					}
					file, err := os.ReadFile(path)
					if err != nil {
						t.Fatal(err)
					}
					fmt.Fprintf(&written, "%s%+v %v\n%v", file, recorder.Stats(), recorder.Err(), trace.Arrangement())
					for _, private := range []string{"Zebulon", "Marrakesh", "Quistgaard", "autumn", "SELECT"} {
						if strings.Contains(written.String(), private) {
							t.Errorf("%s, %s, %d: %q is written\n%s", name, body, status, private, written.String())
						}
					}
				}
			}
		}
	}
}
