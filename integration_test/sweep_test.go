package integration_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/integration_test/parts"
)

// TestSweepOfARealModel runs the command against a base model behind llama.cpp:
// two key-value cases of four keys, in every slot.
func TestSweepOfARealModel(t *testing.T) {
	model := parts.Start(t, "model.py", "--model", "gemma")
	folder := filepath.Join(t.TempDir(), "sweep")
	run := exec.CommandContext(context.Background(), "go", "run", "./cmd/bookend", "sweep",
		"--kv", "2", "--keys", "4", "--completion", "--max-tokens", "50", "--concurrency", "1",
		"--model", "gemma-3-270m-q4_k_m", "--base-url", model.URL+"/v1", "--out", folder)
	run.Dir = ".."
	out, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
	if strings.Contains(strings.ToLower(string(out)), "simulated") {
		t.Error("a real model is called simulated")
	}
	for _, file := range []string{"journal.jsonl", "summary.csv", "summary.json", "sweep.svg", "sweep.png", "report.html"} {
		if info, err := os.Stat(filepath.Join(folder, file)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", file, err)
		}
	}
	curve, err := core.LoadCurve(filepath.Join(folder, "curve.json"))
	if err != nil {
		t.Fatal(err)
	}
	if curve.Documents != 4 || curve.Questions != 2 || len(curve.Slots) != 4 {
		data, _ := json.Marshal(curve)
		t.Errorf("the curve is %s", data)
	}
}
