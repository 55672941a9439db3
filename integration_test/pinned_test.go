package integration_test

import (
	"strings"
	"testing"
)

// What the README says of versions that somebody has pinned: one stays unless Bookend's
// go.mod names a newer one of the same module, or the framework does that an adapter
// brings.
func TestUserKeepsOrRaisesPinnedVersions(t *testing.T) {
	t.Parallel()
	const (
		text, language = "golang.org/x/text", `_ "golang.org/x/text/language"`
		uuid, sys      = "github.com/google/uuid", "golang.org/x/sys"
		langchaingo    = `_ "` + module + `/langchaingo"`
		eino           = `_ "` + module + `/eino"`
		core           = `_ "` + module + `/core"`
	)
	for name, c := range map[string]struct {
		pinned, version, blank, bookend, want string
	}{
		"text beside core":        {text, "v0.14.0", language, core, "v0.14.0"},
		"text beside eino":        {text, "v0.14.0", language, eino, "v0.14.0"},
		"text beside langchaingo": {text, "v0.14.0", language, langchaingo, "v0.28.0"},
		"uuid beside core":        {uuid, "v1.3.0", `_ "` + uuid + `"`, core, "v1.6.0"},
		"sys beside core":         {sys, "v0.20.0", `_ "` + sys + `/cpu"`, core, "v0.35.0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			pinned := c.pinned + " " + c.version
			if out, err := goCommand(t, userModule(t, []string{pinned}, []string{c.blank}, ""), "mod", "tidy"); err != nil {
				t.Skipf("%s cannot be had here, without Bookend either: %v\n%s", pinned, err, out)
			}
			dir := userModule(t, []string{pinned, ours}, []string{c.blank, c.bookend}, "")
			// With -e: the newest version of what a framework's tests alone need may want a
			// newer Go than this one.
			mustGo(t, dir, "mod", "tidy", "-e")
			if got := mustGo(t, dir, "list", "-m", "-f", "{{.Version}}", c.pinned); got != c.want {
				t.Errorf("%s, pinned at %s, is now %s, want %s", c.pinned, c.version, got, c.want)
			}
		})
	}
	// langchaingo alone raises it likewise.
	alone := userModule(t, []string{text + " v0.14.0", langchaingoModule + " v0.1.14"}, []string{language, `_ "` + langchaingoModule + `/schema"`}, "")
	mustGo(t, alone, "mod", "tidy")
	if got := mustGo(t, alone, "list", "-m", "-f", "{{.Version}}", text); got != "v0.28.0" {
		t.Errorf("beside langchaingo alone %s is %s", text, got)
	}
	readme := strings.Join(strings.Fields(readFile(t, "../README.md")), " ")
	for _, said := range []string{"`golang.org/x/text` rises to v0.28.0", "such as `google/uuid` and `golang.org/x/sys`"} {
		if !strings.Contains(readme, said) {
			t.Errorf("the README does not say %q", said)
		}
	}
}
