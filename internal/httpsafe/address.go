package httpsafe

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/bookend-rag/bookend/core"
)

// certainHeader is the length from which the value of a header is taken for a secret
// wherever it stands.
const certainHeader = 8

// Address is a URL, taken apart so that no part of it can slip into a text.
type Address struct {
	// Base is the URL without user info and query.
	Base *url.URL
	// hidden returns those.
	hidden func() (user *url.Userinfo, query string)
}

// ParseAddress accepts an http or https URL with a host. Its error is a
// *core.ConfigError of the field, and shows nothing of a text that is not one, since
// nobody can tell where a secret stands in it; a host, port and path that lack the
// scheme alone are shown.
func ParseAddress(field, text, example string) (Address, error) {
	fail := func(value, rule string) (Address, error) {
		return Address{}, &core.ConfigError{Field: field, Value: value, Rule: rule}
	}
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Opaque != "" || u.Host == "" || u.Hostname() == "" {
		if full, ok := withScheme(text); ok {
			return fail(strings.TrimSpace(text), "the scheme is missing: write "+full+", or https where the server has it")
		}
		return fail("(not shown)", "must be an address such as "+example+"; it is not shown, since it may hold a secret")
	}
	a := Address{
		Base:   &url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath},
		hidden: func() (*url.Userinfo, string) { return u.User, u.RawQuery },
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return fail(a.Base.String(), "only http and https are supported")
	case u.Fragment != "":
		return fail(a.Base.String(), "must have no fragment, the part from #")
	}
	return a, nil
}

// hostAndPath is what may be shown of an address without a scheme: no user info, no
// query, and a port or a path, without which it might as well be a token.
var hostAndPath = regexp.MustCompile(`^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*(:\d+|(:\d+)?(/[A-Za-z0-9._-]*)+)$`)

// withScheme completes an address that plainly lacks its scheme alone.
func withScheme(text string) (full string, ok bool) {
	text = strings.TrimSpace(text)
	return "http://" + text, hostAndPath.MatchString(text)
}

// Guard says whether a secret has to stay on this machine: one travels with each
// request, over plain http, and that is not allowed. For an address elsewhere, and
// for a key beside user info, it returns a *core.ConfigError of the field. key may
// be empty; headers are the values of further ones.
func (a Address) Guard(field, key string, allowPlain bool, headers ...string) (guarded bool, err error) {
	user, query := a.hidden()
	shown := a.Secrets(key, headers...).Detail(a.Base.String())
	if user != nil && key != "" {
		return false, &core.ConfigError{Field: field, Value: shown, Rule: "give a key or user info, not both"}
	}
	secret := key != "" || user != nil || query != "" || len(headers) > 0
	guarded = a.Base.Scheme == "http" && secret && !allowPlain
	if guarded && !a.loopback() {
		what := "a key, user info or query"
		if len(headers) > 0 {
			what = "a key, header, user info or query"
		}
		return false, &core.ConfigError{Field: field, Value: shown, Rule: what + " would cross the network unencrypted: use https, or allow it expressly"}
	}
	return guarded, nil
}

func (a Address) loopback() bool {
	ip := net.ParseIP(a.Base.Hostname())
	return strings.EqualFold(a.Base.Hostname(), "localhost") || ip != nil && ip.IsLoopback()
}

// CheckKey returns a *core.ConfigError, which does not show the key, unless it can
// stand in a header.
func CheckKey(key string) error {
	if strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return &core.ConfigError{Field: "Key", Value: "[key]", Rule: "only printable ASCII without spaces can be a key; look for a line break at its end"}
	}
	return nil
}

// Post makes a request with a JSON body to a URL of a's host, and puts the secrets
// in. key may be empty.
func (a Address) Post(ctx context.Context, to *url.URL, key string, body []byte) (*http.Request, error) {
	user, query := a.hidden()
	private := *to
	private.RawQuery = query
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, private.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "bookend")
	if user != nil {
		password, _ := user.Password()
		r.SetBasicAuth(user.Username(), password)
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	return r, nil
}

// Secrets are the key, the values of further headers and their words, and the parts of
// the address that are not shown.
func (a Address) Secrets(key string, headers ...string) Secrets {
	user, query := a.hidden()
	certain, possible := []string{key}, []string{query}
	for _, value := range headers {
		for _, word := range append(strings.Fields(value), value) {
			if len(word) >= certainHeader {
				certain = append(certain, word)
			} else { // as in "beta: on"
				possible = append(possible, word)
			}
		}
	}
	if user != nil {
		name := user.Username()
		password, _ := user.Password()
		if password != "" { // basic authentication is base64 of the pair
			certain = append(certain, password, name+":"+password, user.String())
		} else { // some services take the key as the user's name
			certain = append(certain, name)
		}
		possible = append(possible, name)
	}
	for pair := range strings.SplitSeq(query, "&") {
		_, raw, _ := strings.Cut(pair, "=")
		possible = append(possible, raw)
		if value, err := url.QueryUnescape(raw); err == nil {
			possible = append(possible, value)
		}
	}
	return newSecrets(certain, possible)
}
