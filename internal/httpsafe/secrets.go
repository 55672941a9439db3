package httpsafe

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

const (
	// maxDetail bounds what an error keeps of a text from outside, in characters.
	maxDetail = 200
	mask      = "***"
	withheld  = "(a text that is not shown)"
)

// How long a secret has to be to be masked. Keys such as "EMPTY", which servers
// without keys are given, should not change answers; a query such as "v=1" should
// not mask every 1 of an error.
const (
	possibleInDetail = 4
	certainInAnswer  = 12
	possibleInAnswer = 16
)

// Secrets takes secrets out of texts. It holds them in funcs, because packages that
// print by reflection show a func's address at most; the zero value has none.
type Secrets struct {
	inDetail, inAnswer func() []string // all spellings, longest first; may be nil
}

// newSecrets knows certain secrets, and possible ones that may as well be words.
func newSecrets(certain, possible []string) Secrets {
	return Secrets{
		inDetail: formsOf(certain, 1, possible, possibleInDetail),
		inAnswer: formsOf(certain, certainInAnswer, possible, possibleInAnswer),
	}
}

func formsOf(certain []string, atLeast int, possible []string, possibleAtLeast int) func() []string {
	forms := []string{}
	add := func(list []string, atLeast int) {
		for _, secret := range list {
			if len(secret) >= atLeast {
				forms = append(forms, spellings(secret)...)
			}
		}
	}
	add(certain, atLeast)
	add(possible, possibleAtLeast)
	forms = slices.DeleteFunc(forms, func(form string) bool { return form == "" })
	slices.SortFunc(forms, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	forms = slices.Compact(forms)
	return func() []string { return forms }
}

// spellings are the forms in which servers and errors repeat a secret, each as
// Printable leaves it, too.
func spellings(secret string) []string {
	quoted := strconv.Quote(secret)
	encoded, _ := json.Marshal(secret) // a string can always be marshaled
	forms := []string{
		secret,
		quoted[1 : len(quoted)-1],
		string(encoded[1 : len(encoded)-1]),
		url.QueryEscape(secret),
		url.PathEscape(secret),
		base64.StdEncoding.EncodeToString([]byte(secret)),
		base64.URLEncoding.EncodeToString([]byte(secret)),
	}
	for _, form := range forms {
		forms = append(forms, Printable(form))
	}
	return forms
}

// Detail makes a text from outside fit for an error: printable, one line, without
// secrets, at most 200 characters. Secrets go after the control characters, which
// may have split one, and before the cut, which may split one.
func (s Secrets) Detail(text string) string {
	text = masked(Printable(text), s.inDetail)
	if runes := []rune(text); len(runes) > maxDetail {
		text = string(runes[:maxDetail-1]) + "…"
	}
	return text
}

// Answer masks the secrets that are too long to be words.
func (s Secrets) Answer(text string) string { return masked(text, s.inAnswer) }

func masked(text string, forms func() []string) string {
	if forms == nil {
		return text
	}
	found := func() bool {
		return slices.ContainsFunc(forms(), func(form string) bool { return strings.Contains(text, form) })
	}
	if !found() {
		return text
	}
	for _, form := range forms() {
		text = strings.ReplaceAll(text, form, mask)
	}
	if found() { // a mask and its neighbours spell one
		return withheld
	}
	return text
}

// Printable makes white space one space each and drops what cannot be printed,
// marks of direction and halves of characters among them.
func Printable(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsPrint(r):
			return r
		}
		return -1
	}, strings.ToValidUTF8(text, ""))
	return strings.Join(strings.Fields(text), " ")
}
