package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/bookend-rag/bookend/core"
	"github.com/bookend-rag/bookend/internal/httpsafe"
	"github.com/bookend-rag/bookend/internal/strictjson"
)

// Defaults of Config.
const (
	DefaultMaxTokens   = 100
	DefaultTimeout     = 5 * time.Minute // a long prompt on one processor takes a while
	DefaultMaxAnswer   = 8 << 20
	DefaultConnections = 64
)

// Config says which model is asked, and how. It prints without its secrets. Only
// where it stands in an unexported field of a struct, and that struct is printed, does its
// BaseURL show.
type Config struct {
	// BaseURL is the server's address, http or https, with or without "/v1" at its
	// end. One that ends in the full path, /chat/completions or /completions, is used as
	// it is. User info is sent as basic authentication, a query with each request.
	BaseURL string
	// Key is sent as a bearer token. It is printable ASCII without spaces.
	Key Key
	// Headers are sent with each request, such as api-key. Their values are as secret
	// as Key.
	Headers map[string]Key
	// AllowPlainKey lets a key, headers, user info or a query travel over plain http to
	// another machine, where everyone on the way can read it.
	AllowPlainKey bool
	// Model is the model's name on the server.
	Model string
	// Completion asks for plain completion, for base models: model.Prompt.Text in place of
	// model.Prompt.Messages.
	Completion bool
	// MaxTokens bounds an answer; 0 means DefaultMaxTokens.
	MaxTokens int
	// Extra is a JSON object of further parameters. It may also set temperature,
	// which is 0 otherwise, and max_tokens; null leaves a parameter out, as for
	// {"max_tokens": null, "max_completion_tokens": 100}. "stream" is sent as false and
	// may be taken out, too, since some servers do not know it. What would change the
	// question or the number or form of the answers is refused.
	Extra json.RawMessage
	// Timeout bounds one call, the reading of its answer included; 0 means
	// DefaultTimeout.
	Timeout time.Duration
	// MaxAnswer bounds the bytes of an answer, unpacked; 0 means DefaultMaxAnswer.
	MaxAnswer int64
	// Connections are kept open for further calls; 0 means DefaultConnections. It
	// should be at least the number of calls at once.
	Connections int
}

// String names the model and the address without user info and query.
func (c Config) String() string {
	a, err := parseAddress(c.BaseURL, c.Completion)
	if err != nil {
		return fmt.Sprintf("%s at an address that cannot be read", c.model())
	}
	s := a.Secrets(c.Key.value(), c.headerValues()...)
	return fmt.Sprintf("%s at %s", s.Detail(c.model()), s.Detail(a.shown(Path(c.Completion))))
}

// Format writes what String returns, whatever the verb.
func (c Config) Format(s fmt.State, _ rune) { _, _ = s.Write([]byte(c.String())) }

// MarshalText returns what String returns.
func (c Config) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// LogValue returns what String returns.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.String()) }

func (c Config) model() string {
	if c.Completion {
		return fmt.Sprintf("%q by completion", c.Model)
	}
	return fmt.Sprintf("%q by chat", c.Model)
}

func (c Config) withDefaults() Config {
	if c.MaxTokens == 0 {
		c.MaxTokens = DefaultMaxTokens
	}
	if c.Timeout == 0 {
		c.Timeout = DefaultTimeout
	}
	if c.MaxAnswer == 0 {
		c.MaxAnswer = DefaultMaxAnswer
	}
	if c.Connections == 0 {
		c.Connections = DefaultConnections
	}
	return c
}

// validate looks at what stands beside the address.
func (c Config) validate() error {
	if strings.TrimSpace(c.Model) == "" {
		return &core.ConfigError{Field: "Model", Value: c.Model, Rule: "name the model as the server does"}
	}
	if err := httpsafe.CheckKey(c.Key.value()); err != nil {
		return err
	}
	if err := c.checkHeaders(); err != nil {
		return err
	}
	for _, n := range []struct {
		field string
		value int64
	}{
		{"MaxTokens", int64(c.MaxTokens)},
		{"Timeout", int64(c.Timeout)},
		{"MaxAnswer", c.MaxAnswer},
		{"Connections", int64(c.Connections)},
	} {
		if n.value < 0 {
			return &core.ConfigError{Field: n.field, Value: n.value, Rule: "must not be negative; 0 is the default"}
		}
	}
	return nil
}

// reserved are the parameters that Extra may not hold.
var reserved = []string{
	"model", "messages", "prompt", // the question
	"n", "best_of", "echo", "stream_options", // the answer
}

// ReservedParameter says whether requests may not set a parameter to this value (JSON),
// because it would change the question, or the number or form of the answers. "stream" may be
// false, or null, which takes it out.
func ReservedParameter(name string, value []byte) bool {
	name = strings.ToLower(name)
	if name == "stream" {
		text := string(bytes.TrimSpace(value))
		return text != "false" && text != "null"
	}
	return slices.Contains(reserved, name)
}

// parameters merges the defaults with Extra. Values of Extra stay out of errors:
// they may be secrets.
func (c Config) parameters() (map[string]json.RawMessage, error) {
	model, _ := json.Marshal(c.Model)
	merged := map[string]json.RawMessage{
		"model":       model,
		"temperature": json.RawMessage("0"),
		"stream":      json.RawMessage("false"), // some servers stream unless told so
		"max_tokens":  json.RawMessage(fmt.Sprint(c.MaxTokens)),
	}
	if len(bytes.TrimSpace(c.Extra)) == 0 {
		return merged, nil
	}
	extra := map[string]json.RawMessage(nil)
	if err := strictjson.Unmarshal(c.Extra, &extra); err != nil || extra == nil {
		return nil, &core.ConfigError{Field: "Extra", Value: "(not shown)", Rule: "must be one JSON object with each key once, such as {\"seed\": 1}"}
	}
	for name, value := range extra {
		switch {
		case ReservedParameter(name, value):
			return nil, &core.ConfigError{Field: "Extra", Value: strings.ToLower(name), Rule: "this parameter is set by the sweep"}
		case string(value) == "null":
			delete(merged, name)
		default:
			merged[name] = value
		}
	}
	return merged, nil
}
