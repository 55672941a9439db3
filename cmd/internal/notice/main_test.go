package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// cmd/NOTICE is what the command prints now.
func TestNoticeIsCurrent(t *testing.T) {
	t.Parallel()
	want, err := notice()
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join("..", "..", "NOTICE"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("cmd/NOTICE is out of date: go run ./cmd/internal/notice > cmd/NOTICE")
	}
	for _, part := range []string{"The Go standard library", "codeberg.org/go-fonts/liberation", "SIL OPEN FONT LICENSE", "gonum.org/v1/plot", "FreeType", "Apache License"} {
		if !strings.Contains(string(want), part) {
			t.Errorf("there is no %q in it", part)
		}
	}
	if strings.Contains(string(want), ours+"\n") || strings.Contains(string(want), os.TempDir()) {
		t.Error("it names this module, or a folder of this machine")
	}
}
