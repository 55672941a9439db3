package openai_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/measure/openai"
)

func TestConfigFaults(t *testing.T) {
	t.Parallel()
	const secret = "hidden-word"
	with := func(change func(*openai.Config)) openai.Config {
		c := openai.Config{BaseURL: "https://host/v1", Key: openai.NewKey(key), Model: "m"}
		change(&c)
		return c
	}
	address := func(url string) openai.Config { return with(func(c *openai.Config) { c.BaseURL = url }) }
	extra := func(text string) openai.Config { return with(func(c *openai.Config) { c.Extra = []byte(text) }) }
	header := func(name, value string) openai.Config {
		return with(func(c *openai.Config) { c.Headers = map[string]openai.Key{name: openai.NewKey(value)} })
	}
	tests := []struct {
		config openai.Config
		field  string
		rule   string
	}{
		{address(""), "BaseURL", "must be an address"},
		{address("host:8080"), "BaseURL", "write http://host:8080"},
		{address("localhost:8080/v1"), "BaseURL", "write http://localhost:8080/v1"},
		{address("eyJhbGciOi.eyJzdWIi.c2lnbmF0"), "BaseURL", "not shown"},
		{address("user:" + secret + "@host/v1"), "BaseURL", "not shown"},
		{address("host/v1?key=" + secret), "BaseURL", "not shown"},
		{address("/v1"), "BaseURL", "must be an address"},
		{address("http://:80"), "BaseURL", "must be an address"},
		{address("http://u:" + secret + "@ho st"), "BaseURL", "must be an address"},
		{address("http://u:" + secret + "%@host"), "BaseURL", "must be an address"},
		{address("ftp://u:" + secret + "@host?q=" + secret), "BaseURL", "only http and https"},
		{address("file:///etc/passwd"), "BaseURL", "must be an address"},
		{address("unix://host/socket"), "BaseURL", "only http and https"},
		{address("https://host/#" + secret), "BaseURL", "fragment"},
		{with(func(c *openai.Config) { c.BaseURL, c.Completion = "https://host/v1/chat/completions?q="+secret, true }), "BaseURL", "use /completions"},
		{address("https://host/v1/completions/"), "BaseURL", "use /chat/completions"},
		{openai.Config{BaseURL: "http://host", Model: "m", Headers: map[string]openai.Key{"api-key": openai.NewKey(secret)}}, "BaseURL", "unencrypted"},
		{header("", secret), "Headers", "such as api-key"},
		{header("api key", secret), "Headers", "such as api-key"},
		{header("a\r\nb", secret), "Headers", "such as api-key"},
		{header("Content-type", secret), "Headers", "set by the client"},
		{header("host", secret), "Headers", "set by the client"},
		{header("authorization", secret), "Headers", "one of the two"},
		{header("api-key", ""), "Headers", "no value"},
		{header("api-key", secret+"\r\nX: y"), "Headers", "printable ASCII"},
		{address("https://u:" + secret + "@host"), "BaseURL", "not both"},
		{address("http://host"), "BaseURL", "unencrypted"},
		{address("http://10.0.0.1:8080"), "BaseURL", "unencrypted"},
		{address("http://localhost.host"), "BaseURL", "unencrypted"},
		{address("http://127.0.0.1.host/?q=" + secret), "BaseURL", "unencrypted"},
		{address("http://[2001:db8::1]"), "BaseURL", "unencrypted"},
		{openai.Config{BaseURL: "http://u:" + secret + "@host", Model: "m"}, "BaseURL", "unencrypted"},
		{openai.Config{BaseURL: "http://host?q=" + secret, Model: "m"}, "BaseURL", "unencrypted"},
		{with(func(c *openai.Config) { c.Model = " " }), "Model", "name the model"},
		{with(func(c *openai.Config) { c.Key = openai.NewKey(key + "\n") }), "Key", "printable ASCII"},
		{with(func(c *openai.Config) { c.Key = openai.NewKey(key + " x") }), "Key", "printable ASCII"},
		{with(func(c *openai.Config) { c.Key = openai.NewKey(key + "é") }), "Key", "printable ASCII"},
		{with(func(c *openai.Config) { c.MaxTokens = -1 }), "MaxTokens", "negative"},
		{with(func(c *openai.Config) { c.Timeout = -1 }), "Timeout", "negative"},
		{with(func(c *openai.Config) { c.MaxAnswer = -1 }), "MaxAnswer", "negative"},
		{with(func(c *openai.Config) { c.Connections = -1 }), "Connections", "negative"},
		{extra(`{"x":"` + secret), "Extra", "one JSON object"},
		{extra(`["` + secret + `"]`), "Extra", "one JSON object"},
		{extra(`null`), "Extra", "one JSON object"},
		{extra(`{} {}`), "Extra", "one JSON object"},
		{extra(`{"model":"` + secret + `"}`), "Extra", "set by the sweep"},
		{extra(`{"messages":[]}`), "Extra", "set by the sweep"},
		{extra(`{"prompt":""}`), "Extra", "set by the sweep"},
		{extra(`{"Stream":true}`), "Extra", "set by the sweep"},
		{extra(`{"stream_options":{}}`), "Extra", "set by the sweep"},
		{extra(`{"n":2}`), "Extra", "set by the sweep"},
		{extra(`{"best_of":2}`), "Extra", "set by the sweep"},
		{extra(`{"echo":true}`), "Extra", "set by the sweep"},
	}
	for _, test := range tests {
		_, err := openai.New(test.config)
		e := (*core.ConfigError)(nil)
		if !errors.As(err, &e) {
			t.Errorf("%v: error %v, want a *core.ConfigError", test.config, err)
			continue
		}
		if e.Field != test.field || !strings.Contains(e.Rule, test.rule) {
			t.Errorf("%v: error %v, want one of %s that says %q", test.config, e, test.field, test.rule)
		}
		noSecret(t, err, secret, key)
		noSecret(t, test.config, secret, key)
	}
}

func TestPlainHTTP(t *testing.T) {
	t.Parallel()
	for _, config := range []openai.Config{
		{BaseURL: "http://localhost:8080", Key: openai.NewKey(key)},
		{BaseURL: "http://LocalHost/", Key: openai.NewKey(key)},
		{BaseURL: "http://127.0.0.1", Key: openai.NewKey(key)},
		{BaseURL: "http://127.8.8.8?q=long-enough", Key: openai.NewKey(key)},
		{BaseURL: "http://[::1]:8080/v1", Key: openai.NewKey(key)},
		{BaseURL: "http://host"},
		{BaseURL: "http://host", Key: openai.NewKey(key), AllowPlainKey: true},
		{BaseURL: "https://host", Key: openai.NewKey(key)},
		{BaseURL: " https://host\n", Key: openai.NewKey(key)}, // from a file
	} {
		config.Model = "m"
		if _, err := openai.New(config); err != nil {
			t.Errorf("%v: %v", config, err)
		}
	}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"https://host":                 "https://host/v1/chat/completions",
		"https://host/":                "https://host/v1/chat/completions",
		"https://host/v1":              "https://host/v1/chat/completions",
		"https://host/v1//":            "https://host/v1/chat/completions",
		"https://host:1/api":           "https://host:1/api/v1/chat/completions",
		"https://host/api/v3":          "https://host/api/v3/chat/completions",
		"https://host/v1beta/openai":   "https://host/v1beta/openai/chat/completions",
		"https://host/vault/x%2Fy":     "https://host/vault/x%2Fy/v1/chat/completions",
		"https://[::1]:8/v1?a=b-hid-c": "https://[::1]:8/v1/chat/completions",

		"https://host/v1/chat/completions":           "https://host/v1/chat/completions",
		"https://host/serving/chat/completions/?a=b": "https://host/serving/chat/completions/",
	} {
		c := openai.Config{BaseURL: base, Model: "m"}
		if got := c.String(); got != `"m" by chat at `+want {
			t.Errorf("%s (-want +got)\n-%s\n+%s", base, want, got)
		}
	}
}
