package openai

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/internal/httpsafe"
)

// address is a base URL, whose secrets do not show.
type address struct{ httpsafe.Address }

// version is a segment such as "v1" or "v1beta".
var version = regexp.MustCompile(`^v[0-9]+[a-z0-9]*$`)

// parseAddress accepts an http or https URL with a host, up to the version or up to
// the full path.
func parseAddress(text string, completion bool) (address, error) {
	parsed, err := httpsafe.ParseAddress("BaseURL", text, "http://127.0.0.1:8080")
	if err != nil {
		return address{}, err
	}
	a := address{parsed}
	switch chat := a.endsIn("/chat/completions"); {
	case completion && chat:
		return address{}, &core.ConfigError{Field: "BaseURL", Value: a.shown(""), Rule: "ends in the path of a chat, and plain completion is asked for: use /completions, or ask by chat"}
	case !completion && !chat && a.endsIn("/completions"):
		return address{}, &core.ConfigError{Field: "BaseURL", Value: a.shown(""), Rule: "ends in the path of plain completion, and a chat is asked for: use /chat/completions, or ask by completion"}
	}
	return a, nil
}

// endsIn says that the address ends in a path.
func (a address) endsIn(path string) bool {
	return strings.HasSuffix(strings.TrimRight(a.Base.Path, "/"), path)
}

// endpoint is the address of a path that starts with "/v1". An address that ends in
// the full path is used as it is, and one that names a version has that already.
func (a address) endpoint(path string) *url.URL {
	if a.endsIn("/completions") {
		return a.Base
	}
	if slices.ContainsFunc(strings.Split(a.Base.Path, "/"), version.MatchString) {
		path = strings.TrimPrefix(path, "/v1")
	}
	return a.Base.JoinPath(path)
}

// shown is the address as texts may show it. An empty path shows the base.
func (a address) shown(path string) string {
	if path == "" {
		return a.Base.String()
	}
	return a.endpoint(path).String()
}
