package integration_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// looker loads a page in a frame as wide as a telephone, and writes down what is there.
const looker = `<!DOCTYPE html><title>waiting</title><pre id="seen">nothing</pre>
<iframe id="page" src="/report.html" style="width:390px;height:800px;border:0"></iframe>
<script>
document.getElementById("page").onload = function () {
	const d = this.contentDocument, root = d.documentElement, lines = [];
	lines.push("page scrolls: " + (root.scrollWidth > root.clientWidth));
	const regions = [...d.querySelectorAll("[role=region]")];
	lines.push("unnamed regions: " + regions.filter(r => !r.getAttribute("aria-label")).length);
	const wide = regions.filter(r => r.scrollWidth > r.clientWidth);
	lines.push("wide regions: " + (wide.length > 0));
	lines.push("not reached by keyboard: " + regions.filter(r => { r.focus(); return d.activeElement !== r || r.tabIndex !== 0; }).length);
	wide.forEach(r => r.scrollLeft = 40);
	lines.push("do not scroll: " + wide.filter(r => r.scrollLeft === 0).length);
	const flips = d.getElementById("flips");
	lines.push("flips: " + (flips ? flips.parentNode.querySelectorAll(".answers tbody tr").length > 0 : "no"));
	lines.push("pictures without title: " + [...d.querySelectorAll("svg")].filter(s => s.getAttribute("role") !== "img" || !s.querySelector("title")).length);
	document.getElementById("seen").textContent = lines.join("\n");
};
</script>`

// On a telephone no page scrolls sideways, wide tables do, and the keyboard reaches them.
// It says nothing about what a key does there: that is the browser's own.
func TestPagesInABrowser(t *testing.T) {
	if os.Getenv("BOOKEND_REAL") == "" {
		t.Skip("needs a browser: set BOOKEND_REAL=1")
	}
	browser := ""
	for _, name := range []string{os.Getenv("BOOKEND_CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil && browser == "" {
			browser = path
		}
	}
	if browser == "" {
		t.Skip("no Chromium is installed (on Debian: apt install chromium), and BOOKEND_CHROMIUM names none")
	}
	dir := t.TempDir()
	for name, args := range map[string][]string{
		"compare": {"compare", "--simulate", "llama-2-70b-chat-repo", "--limit", "200"},
		"sweep":   {"sweep", "--simulate", "u", "--limit", "40"},
	} {
		out := filepath.Join(dir, name)
		run := exec.CommandContext(t.Context(), "go", append([]string{"run", "github.com/bookend-rag/bookend/cmd/bookend"}, append(args, "--out", out)...)...)
		if text, err := run.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		mux := http.NewServeMux()
		mux.HandleFunc("/report.html", func(w http.ResponseWriter, r *http.Request) {
			http.ServeFile(w, r, filepath.Join(out, "report.html"))
		})
		mux.HandleFunc("/look", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, looker)
		})
		server := httptest.NewServer(mux)
		defer server.Close()
		dom, err := exec.CommandContext(t.Context(), browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--user-data-dir="+filepath.Join(dir, "profile"),
			"--virtual-time-budget=10000", "--dump-dom", server.URL+"/look").Output()
		if err != nil {
			t.Fatal(err)
		}
		flips := map[string]string{"compare": "true", "sweep": "no"}[name]
		for _, want := range []string{
			"page scrolls: false", "unnamed regions: 0", "wide regions: true", "not reached by keyboard: 0", "do not scroll: 0", "flips: " + flips, "pictures without title: 0",
		} {
			if !strings.Contains(string(dom), want) {
				t.Errorf("%s: not %q in:\n%s", name, want, dom)
			}
		}
	}
}
