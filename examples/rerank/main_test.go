package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/examples/internal/terminal"
)

func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	for _, variable := range []string{"OPENAI_API_KEY", "OPENAI_BASE_URL", "RERANK_API_KEY"} {
		t.Setenv(variable, "")
	}
	var out strings.Builder
	if err := run(t.Context(), args, &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func mustHave(t *testing.T, out string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(out, part) {
			t.Errorf("no %q in\n%s", part, out)
		}
	}
}

// With no flags it needs no network, and says what is no model.
func TestOffline(t *testing.T) {
	out := mustRun(t)
	mustHave(
		t, out, "slot   stems   words  fusion  lexical   document\n",
		"lexical scorer, no model", "5 of 27\ndocuments enter the prompt", "extractive reader (no model)",
		"\n   1       6       5       5        1  *employee-discount.txt#0\n", "\n   2       1       1       1        3   stores.md#4\n", "\n out ",
	)
	// The point stands in the first ten lines, and the answer is right.
	first := terminal.First(out)
	mustHave(
		t, first, "Question  How much do I save on our own label", "gets 33 percent off our own label",
		"The answer stands in *employee-discount.txt#0: rank 6 by stems, rank 5 by words,\nrank 5 by fusion, rank 1 by lexical, slot 1.",
	)
	terminal.Fits(t, out)
	// A wrong answer is not passed off as one.
	mustHave(t, mustRun(t, "-q", "Can I get a refund after 45 days?"), "This answer is wrong: the reader copies a sentence")
	mustHave(t, mustRun(t, "-q", "Can I get a refund after 45 days?", "-k", "1"), "was not retrieved")

	if again := mustRun(t); again != out {
		t.Error("a second run prints something else")
	}
	out = mustRun(t, "-q", "What is a giraffe?", "-top", "2", "-k", "3")
	mustHave(t, out, "enter the prompt")
	out = mustRun(t, "-placement", "ranked", "-top", "3")
	mustHave(t, out, "in the order of ranked", "\n   3       1       1       1        3   stores.md#4\n")
}

// A server's scores go to the documents that it scored, in either form.
func TestWithAServer(t *testing.T) {
	type request struct{ Documents, Texts []string }
	forms := make(chan string, 2)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked request
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		results := []map[string]any{}
		for i, text := range append(asked.Documents, asked.Texts...) {
			score := 0.0
			if strings.HasPrefix(text, "How We Talk") {
				score = 1
			}
			results = append([]map[string]any{{"index": i, "relevance_score": score, "score": score}}, results...)
		}
		forms <- fmt.Sprint(len(asked.Documents) > 0, len(asked.Texts) > 0)
		var answer any = results
		if asked.Documents != nil {
			answer = map[string]any{"results": results}
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(server.Close)
	for _, form := range []string{"documents", "texts"} {
		out := mustRun(t, "-q", "Can I get a refund after 45 days?", "-rerank-url", server.URL, "-form", form)
		mustHave(t, out, `reranker at http://127.0.0.1`, "       1   tone.md#1\n")
		if sent := <-forms; (form == "texts") != (sent == "false true") {
			t.Errorf("%s: documents and texts sent: %s", form, sent)
		}
	}
}

// A server that is gone costs the better ranks, and not the answer.
func TestWithoutItsServer(t *testing.T) {
	out := mustRun(t, "-rerank-url", "http://127.0.0.1:1/rerank")
	mustHave(t, out, "Note: ranking by rerank failed (connection), and the order before it is kept", "\n   1 ")
}

func TestFlags(t *testing.T) {
	for name, args := range map[string][]string{
		"-k is 0":                            {"-k", "0"},
		"-top is -1":                         {"-top", "-1"},
		"-postgres and -embeddings-url":      {"-postgres", "postgres://127.0.0.1:1/x"},
		"valid names":                        {"-placement", "best-first"},
		"only http and https":                {"-rerank-url", "ftp://host/rerank"},
		`must be "documents" or "texts"`:     {"-rerank-url", "http://host/rerank", "-form", "json"},
		"unexpected argument":                {"refunds"},
		"failed to connect":                  {"-postgres", "postgres://u:p@127.0.0.1:1/x", "-embeddings-url", "http://127.0.0.1:1/v1"},
		"provided but not defined: -reranks": {"-reranks", "x"},
	} {
		if err := run(t.Context(), args, new(strings.Builder)); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v: error %v, want one with %q", args, err, name)
		}
	}
	var out strings.Builder
	if err := run(t.Context(), []string{"-h"}, &out); !errors.Is(err, flag.ErrHelp) || !strings.Contains(out.String(), "-rerank-url") {
		t.Errorf("-h: %v\n%s", err, &out)
	}
}
