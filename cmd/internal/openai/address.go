package openai

import (
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/bookend-rag/bookend/core"
)

// address is a base URL, taken apart so that no part of it can slip into a text.
type address struct {
	base *url.URL // without user info and query
	// hidden returns those. It is a func for the same reason as Key's is one.
	hidden func() (user *url.Userinfo, query string)
}

// version is a segment such as "v1" or "v1beta".
var version = regexp.MustCompile(`^v[0-9]+[a-z0-9]*$`)

// parseAddress accepts an http or https URL with a host. Its error shows nothing of
// a text that is not one: where a secret stands in it, nobody can tell.
func parseAddress(text string) (address, error) {
	fail := func(value, rule string) (address, error) {
		return address{}, &core.ConfigError{Field: "BaseURL", Value: value, Rule: rule}
	}
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil || u.Opaque != "" || u.Host == "" || u.Hostname() == "" {
		return fail("(not shown)", "must be an address such as http://127.0.0.1:8080")
	}
	a := address{
		base:   &url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath},
		hidden: func() (*url.Userinfo, string) { return u.User, u.RawQuery },
	}
	switch path := strings.TrimRight(u.Path, "/"); {
	case u.Scheme != "http" && u.Scheme != "https":
		return fail(a.shown(""), "only http and https are spoken")
	case u.Fragment != "":
		return fail(a.shown(""), "must have no fragment, the part from #")
	case strings.HasSuffix(path, "/completions"):
		return fail(a.shown(""), "leave out what follows the version: /chat/completions or /completions is added")
	}
	return a, nil
}

// endpoint is the address of a path that starts with "/v1". An address that names a
// version has it already.
func (a address) endpoint(path string) *url.URL {
	if slices.ContainsFunc(strings.Split(a.base.Path, "/"), version.MatchString) {
		path = strings.TrimPrefix(path, "/v1")
	}
	return a.base.JoinPath(path)
}

// shown is the address as texts may show it. An empty path shows the base.
func (a address) shown(path string) string {
	if path == "" {
		return a.base.String()
	}
	return a.endpoint(path).String()
}

// private says that a request carries a secret, or may.
func (a address) private(key Key) bool {
	user, query := a.hidden()
	return !key.IsZero() || user != nil || query != ""
}

func (a address) loopback() bool {
	ip := net.ParseIP(a.base.Hostname())
	return strings.EqualFold(a.base.Hostname(), "localhost") || ip != nil && ip.IsLoopback()
}

// secrets are the key and the parts of the address that are not shown.
func (a address) secrets(key Key) secrets {
	user, query := a.hidden()
	certain, possible := []string{key.value()}, []string{query}
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
