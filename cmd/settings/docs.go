package settings

import (
	"fmt"
	"strings"
)

// Table returns the settings as a table of Markdown, which docs/settings.md holds.
func Table() string {
	var b strings.Builder
	b.WriteString("| key | what it does | variable |\n|---|---|---|\n")
	for _, s := range All() {
		variable := "`" + EnvName(s.Key) + "`"
		if s.Key == "$schema" {
			variable = "–"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", s.Key, s.Help, variable)
	}
	return b.String()
}
