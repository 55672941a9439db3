package search

import "github.com/bookend-rag/bookend/examples/handbook"

// Handbook indexes the paragraphs of the handbook. A Hit's Index is a place in the
// chunks.
func Handbook() ([]handbook.Chunk, *Index, error) {
	chunks, err := handbook.Chunks()
	if err != nil {
		return nil, nil, err
	}
	texts := make([]string, len(chunks))
	for i, c := range chunks {
		texts[i] = c.Text
	}
	index, err := New(texts)
	return chunks, index, err
}
