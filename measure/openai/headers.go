package openai

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/bookend-rag/bookend/core"
)

// headerName is a token of HTTP.
var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")

// ownHeaders are those that the client or the connection sets.
var ownHeaders = []string{
	"Accept", "Accept-Encoding", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Expect", "Host",
	"Keep-Alive", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// checkHeaders refuses what no request can hold. Values stay out of errors.
func (c Config) checkHeaders() error {
	for name, value := range c.Headers {
		fail := func(rule string) error {
			return &core.ConfigError{Field: "Headers", Value: strings.ToValidUTF8(name, "?"), Rule: rule}
		}
		text := value.value()
		switch canonical := http.CanonicalHeaderKey(name); {
		case !headerName.MatchString(name):
			return fail("a header's name is letters, digits and hyphens, such as api-key")
		case slices.Contains(ownHeaders, canonical):
			return fail("this header is set by the client")
		case canonical == "Authorization" && !c.Key.IsZero():
			return fail("a key is sent in this header: give one of the two")
		case strings.TrimSpace(text) == "":
			return fail("has no value")
		case strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }):
			return fail("its value may hold printable ASCII alone; look for a line break at its end")
		}
	}
	return nil
}

// headerValues are the values of all headers.
func (c Config) headerValues() []string {
	var values []string
	for _, value := range c.Headers {
		values = append(values, value.value())
	}
	return values
}

// setHeaders adds the headers to a request.
func (c Config) setHeaders(to http.Header) {
	for name, value := range c.Headers {
		to.Set(name, value.value())
	}
}
