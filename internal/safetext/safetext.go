// Package safetext makes texts from outside fit to be written down.
package safetext

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

var addresses = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>]+`)

// Error is an error as one short line, never empty: white space is one space each,
// controls and invisible characters are out (Line), and addresses have lost their user
// info, query and fragment, where keys may stand. It has at most limit characters.
func Error(err error, limit int) string {
	// Line comes first: what is taken out may have hidden an address.
	text := addresses.ReplaceAllStringFunc(Line(fmt.Sprint(err)), func(address string) string {
		u, err := url.Parse(address)
		if err != nil {
			return "(an address)"
		}
		return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
	})
	text = strings.Join(strings.Fields(Line(text)), " ")
	if text == "" {
		text = "(an error without a text)"
	}
	if runes := []rune(text); len(runes) > limit {
		text = string(runes[:limit-1]) + "…"
	}
	return text
}
