package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	bookendeino "github.com/bookend-rag/bookend/eino"
	bookend "github.com/bookend-rag/bookend/langchaingo"
	"github.com/bookend-rag/bookend/measure/compare"
)

// The settings of a comparison by language in a retriever of langchaingo.
func Example_langchaingo() {
	var settled compare.Settled
	err := json.Unmarshal(measured, &settled)
	if err != nil {
		panic(err)
	}
	settled.Order.Select, err = settled.Select(languageOf)
	if err != nil {
		panic(err)
	}
	r, err := bookend.NewRetriever(langchainStore{}, bookend.WithConfig(settled.Order))
	if err != nil {
		panic(err)
	}
	found, err := r.GetRelevantDocuments(withLanguage(context.Background(), "de"), "How long does a refund take?")
	if err != nil {
		panic(err)
	}
	for _, d := range found {
		fmt.Println(d.PageContent)
	}
	// Output:
	// fourth
	// third
	// second
	// first
}

// The same in a retriever of eino.
func Example_eino() {
	var settled compare.Settled
	err := json.Unmarshal(measured, &settled)
	if err != nil {
		panic(err)
	}
	settled.Order.Select, err = settled.Select(languageOf)
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	r, err := bookendeino.NewRetriever(ctx, &bookendeino.RetrieverConfig{Retriever: einoStore{}, Config: settled.Order})
	if err != nil {
		panic(err)
	}
	found, err := r.Retrieve(withLanguage(ctx, "de"), "How long does a refund take?")
	if err != nil {
		panic(err)
	}
	for _, d := range found {
		fmt.Println(d.Content)
	}
	// Output:
	// fourth
	// third
	// second
	// first
}

func TestBothFrameworksChooseByLanguage(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run(t.Context(), nil, &out); err != nil {
		t.Fatal(err)
	}
	for _, framework := range []string{"langchaingo", "eino"} {
		for language, want := range map[string]string{
			"de": "fourth third second first", "en": "first second third",
			"it": "first second third fourth", "nl": "first second third fourth",
		} {
			if line := fmt.Sprintf("%-11s  %s  %s\n", framework, language, want); !strings.Contains(out.String(), line) {
				t.Errorf("no %q in\n%s", line, out.String())
			}
		}
	}
}

func TestSettingsThatNoCallCanChoose(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "settings.json")
	text := strings.Replace(string(measured), `"top_k": 3}, "prompt": {}`, `"top_k": 3}, "prompt": {"layout": "query-aware"}`, 1)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), []string{"-file", path}, &strings.Builder{}); err == nil || !strings.Contains(err.Error(), "make a chain for each layout") {
		t.Errorf("a layout by language: %v", err)
	}
}
