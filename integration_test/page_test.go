package integration_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// seen is what is found on a page.
type seen struct {
	PageScrolls    bool
	Regions, Wide  int // parts of a page that scroll by themselves, and those that have to
	Unnamed        int // of the regions
	Flips          int // rows of the table of questions whose outcome changed
	Pictures, Bare int // Bare: of the pictures, those without role and title
}

const look = `(() => {
	const root = document.documentElement, all = s => [...document.querySelectorAll(s)];
	const regions = all("[role=region]"), pictures = all("svg"), flips = document.getElementById("flips");
	return {
		PageScrolls: root.scrollWidth > root.clientWidth,
		Regions: regions.length,
		Wide: regions.filter(r => r.scrollWidth > r.clientWidth).length,
		Unnamed: regions.filter(r => !r.getAttribute("aria-label")).length,
		Flips: flips ? flips.parentNode.querySelectorAll(".answers tbody tr").length : 0,
		Pictures: pictures.length,
		Bare: pictures.filter(s => s.getAttribute("role") !== "img" || !s.querySelector("title")).length,
	};
})()`

// focused is how wide the part with the keyboard is beyond its frame, and how far it is
// scrolled.
type focused struct {
	Region         bool
	Beyond, Scroll int
}

const focus = `(() => {
	const a = document.activeElement;
	return {Region: a.getAttribute("role") === "region", Beyond: a.scrollWidth - a.clientWidth, Scroll: Math.round(a.scrollLeft)};
})()`

// On a telephone no page scrolls sideways; the Tab key reaches each table that is too wide,
// and the arrow keys scroll it.
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
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser), chromedp.NoSandbox)
	ctx, stop := chromedp.NewExecAllocator(t.Context(), options...)
	defer stop()
	ctx, stop = chromedp.NewContext(ctx)
	defer stop()
	ctx, stop = context.WithTimeout(ctx, 3*time.Minute)
	defer stop()
	dir := t.TempDir()
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	defer server.Close()
	for name, args := range map[string][]string{
		"compare": {"compare", "--simulate", "llama-2-70b-chat-repo", "--limit", "200"},
		"sweep":   {"sweep", "--simulate", "u", "--limit", "40"},
	} {
		run := exec.CommandContext(ctx, "go", append([]string{"run", "github.com/bookend-rag/bookend/cmd/bookend"}, append(args, "--out", filepath.Join(dir, name))...)...)
		if text, err := run.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		var page seen
		if err := chromedp.Run(ctx, chromedp.EmulateViewport(390, 800), chromedp.Navigate(server.URL+"/"+name+"/report.html"), chromedp.Evaluate(look, &page)); err != nil {
			t.Fatal(err)
		}
		if page.PageScrolls || page.Unnamed+page.Bare > 0 || page.Wide == 0 || page.Pictures == 0 || (page.Flips > 0) != (name == "compare") {
			t.Errorf("%s: %+v", name, page)
		}
		reached, scrolled := 0, 0
		for range 2 * page.Regions {
			var before, after focused
			if err := chromedp.Run(ctx, chromedp.KeyEvent(kb.Tab), chromedp.Evaluate(focus, &before)); err != nil {
				t.Fatal(err)
			}
			if !before.Region || before.Beyond == 0 || before.Scroll > 0 {
				continue
			}
			reached++
			for range 10 { // scrolling takes a moment
				if err := chromedp.Run(ctx, chromedp.KeyEvent(kb.ArrowRight), chromedp.Sleep(50*time.Millisecond), chromedp.Evaluate(focus, &after)); err != nil {
					t.Fatal(err)
				}
				if after.Scroll > 0 {
					scrolled++
					break
				}
			}
		}
		if reached != page.Wide || scrolled != page.Wide {
			t.Errorf("%s: of %d wide tables the Tab key reaches %d, and the arrow key scrolls %d", name, page.Wide, reached, scrolled)
		}
	}
}
