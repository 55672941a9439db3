// Package folder is the langchaingo retriever of the examples: a folder of text
// files, cut into chunks, behind a BM25 index.
package folder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/bookend-rag/bookend/examples/internal/search"
	"github.com/tmc/langchaingo/documentloaders"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/textsplitter"
)

// maxFileSize leaves out files that are no prose.
const maxFileSize = 1 << 20

// chunkSize is in characters: about one paragraph.
const chunkSize = 500

// Retriever is langchaingo's loader and splitter, and a BM25 index.
type Retriever struct {
	chunks []schema.Document
	index  *search.Index
	k      int
}

var _ schema.Retriever = (*Retriever)(nil)

// New indexes the Markdown and text files of a folder. The retriever returns the k
// best chunks.
func New(ctx context.Context, folder fs.FS, k int) (*Retriever, error) {
	chunks, err := load(ctx, folder)
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(chunks))
	for i, c := range chunks {
		texts[i] = c.PageContent
	}
	index, err := search.New(texts)
	if err != nil {
		return nil, err
	}
	return &Retriever{chunks, index, k}, nil
}

// Len returns the number of chunks.
func (r *Retriever) Len() int { return len(r.chunks) }

// GetRelevantDocuments returns the k best chunks, best first.
func (r *Retriever) GetRelevantDocuments(ctx context.Context, query string) ([]schema.Document, error) {
	hits, err := r.index.Search(ctx, query, r.k)
	if err != nil {
		return nil, err
	}
	docs := make([]schema.Document, len(hits))
	for i, h := range hits {
		docs[i] = r.chunks[h.Index]
		docs[i].Score = float32(h.Score)
	}
	return docs, nil
}

// load reads the Markdown and text files of a folder and cuts them into chunks.
// Each chunk knows its source and its place in it, which the splitter does not
// record: the placement "document-order" needs both.
func load(ctx context.Context, folder fs.FS) ([]schema.Document, error) {
	splitter := textsplitter.NewRecursiveCharacter(
		textsplitter.WithChunkSize(chunkSize), textsplitter.WithChunkOverlap(0))
	var chunks []schema.Document
	err := fs.WalkDir(folder, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch strings.ToLower(filepath.Ext(path)) {
		case ".md", ".markdown", ".txt":
		default:
			return nil
		}
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() || info.Size() > maxFileSize {
			return err
		}
		file, err := folder.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		parts, err := documentloaders.NewText(file).LoadAndSplit(ctx, splitter)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for i, part := range parts {
			part.Metadata = map[string]any{"source": path, "position": i}
			chunks = append(chunks, part)
		}
		return nil
	})
	if err == nil && len(chunks) == 0 {
		err = errors.New("the folder holds no text: put .md or .txt files into it")
	}
	return chunks, err
}
