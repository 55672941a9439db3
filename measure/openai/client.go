package openai

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"mime"
	"net/http"
	"strings"

	"github.com/bookend-rag/bookend/internal/httpsafe"
	"github.com/bookend-rag/bookend/measure/model"
)

// Client is a model.Model, safe for concurrent use. It prints without its secrets.
type Client struct {
	name       string // what it prints as
	config     Config // without BaseURL, whose secrets address keeps
	address    address
	parameters map[string]json.RawMessage
	secrets    httpsafe.Secrets
	// Without an http.Client around it, nothing follows a redirect.
	transport *http.Transport
}

var _ model.Model = (*Client)(nil)

// New checks the configuration and sends nothing. The error is a *core.ConfigError
// without secrets.
func New(c Config) (*Client, error) {
	c = c.withDefaults()
	if err := c.validate(); err != nil {
		return nil, err
	}
	a, err := parseAddress(c.BaseURL, c.Completion)
	if err != nil {
		return nil, err
	}
	guarded, err := a.Guard("BaseURL", c.Key.value(), c.AllowPlainKey, c.headerValues()...)
	if err != nil {
		return nil, err
	}
	parameters, err := c.parameters()
	if err != nil {
		return nil, err
	}
	name := c.String()
	c.BaseURL, c.Extra, c.Headers = "", nil, maps.Clone(c.Headers)
	return &Client{name: name, config: c, address: a, parameters: parameters, secrets: a.Secrets(c.Key.value(), c.headerValues()...), transport: httpsafe.Transport(c.Connections, guarded)}, nil
}

// CloseIdleConnections ends the connections that no call is using, and their
// goroutines. The client can be used again.
func (c *Client) CloseIdleConnections() { c.transport.CloseIdleConnections() }

// Path is the path of a request as batch files name it, such as
// "/v1/chat/completions".
func (c *Client) Path() string { return Path(c.config.Completion) }

// String names the model and the address without user info and query.
func (c *Client) String() string { return c.name }

// Format writes what String returns, whatever the verb.
func (c *Client) Format(s fmt.State, _ rune) { _, _ = s.Write([]byte(c.String())) }

// MarshalText returns what String returns.
func (c *Client) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// LogValue returns what String returns.
func (c *Client) LogValue() slog.Value { return slog.StringValue(c.String()) }

// Ask asks once and does not retry. Its errors are *model.Error around an
// *Error, and hold no secret. When ctx has ended they are its error, too.
//
// Should the server repeat a key or password of 12 characters or more in an answer,
// or a user's name or part of the query of 16 or more, it is masked there, too.
// Shorter ones may be words, and are not.
func (c *Client) Ask(ctx context.Context, p model.Prompt) (model.Answer, error) {
	body, err := c.Body(p)
	if err != nil {
		return model.Answer{}, err
	}
	call, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	request, err := c.address.Post(call, c.address.endpoint(c.Path()), c.config.Key.value(), body)
	if err != nil {
		return model.Answer{}, permanent(0, ErrPrompt, "the request cannot be made")
	}
	c.config.setHeaders(request.Header)
	response, err := c.transport.RoundTrip(request)
	if err != nil {
		return model.Answer{}, c.broken(ctx, call, 0, err)
	}
	defer response.Body.Close()
	return c.receive(ctx, call, response)
}

func (c *Client) receive(ctx, call context.Context, response *http.Response) (model.Answer, error) {
	status := response.StatusCode
	if status >= 300 && status <= 399 {
		return model.Answer{}, permanent(status, ErrRedirect, c.secrets.Detail(httpsafe.Target(response)+"; give the right address as the base URL"))
	}
	success := status >= 200 && status <= 299
	kind := response.Header.Get("Content-Type")
	limited := bufio.NewReader(io.LimitReader(response.Body, c.config.MaxAnswer+1))
	if success && streams(kind, limited) {
		return model.Answer{}, permanent(status, ErrContentType, "it is a stream, although \"stream\": false was sent")
	}
	body, err := io.ReadAll(limited)
	tooLarge := int64(len(body)) > c.config.MaxAnswer
	switch {
	case success && tooLarge:
		return model.Answer{}, permanent(status, ErrTooLarge, fmt.Sprintf("over %d bytes", c.config.MaxAnswer))
	case err != nil && (success || ctx.Err() != nil):
		return model.Answer{}, c.broken(ctx, call, status, err)
	case tooLarge || err != nil:
		body = nil // the status says enough, and a cut may go through a secret
	case success && !saysJSON(kind) && !json.Valid(body):
		if kind == "" {
			kind = "it has none"
		}
		return model.Answer{}, failure(status, ErrContentType, c.secrets.Detail(kind))
	}
	want := chatForm
	if c.config.Completion {
		want = completionForm
	}
	answer, err := reader{want, c.secrets}.read(status, body)
	if e := (*model.Error)(nil); errors.As(err, &e) {
		e.RetryAfter = httpsafe.RetryAfter(response.Header)
	}
	return answer, err
}

// streams tells a stream of events by its beginning, without waiting for its end. It
// was not asked for, and the next try would stream again.
func streams(contentType string, body *bufio.Reader) bool {
	kind, _, _ := mime.ParseMediaType(contentType)
	if kind != "text/event-stream" {
		start, _ := body.Peek(len("data:"))
		return string(start) == "data:" || string(start) == "event"
	}
	start, _ := body.Peek(1)
	return string(start) != "{"
}

// saysJSON says that a content type promises JSON.
func saysJSON(contentType string) bool {
	kind, _, err := mime.ParseMediaType(contentType)
	return err == nil && (kind == "application/json" || strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json"))
}

// broken tells the caller's end from the timeout, and both from the network. Whom the
// client does not trust now, it will not trust later.
func (c *Client) broken(ctx, call context.Context, status int, err error) *model.Error {
	if ended := ctx.Err(); ended != nil {
		return permanent(status, ended, "")
	}
	if call.Err() != nil {
		return failure(status, ErrTimeout, fmt.Sprintf("waited %v", c.config.Timeout))
	}
	e := failure(status, ErrConnection, c.secrets.Detail(err.Error()))
	e.Permanent = httpsafe.Untrusted(err)
	return e
}

// Body returns the JSON of a request, the same bytes for the same prompt. It holds
// no key. A chat without messages asks model.Prompt.Text as the user's message. The error
// is a permanent *model.Error of the kind ErrPrompt.
func (c *Client) Body(p model.Prompt) ([]byte, error) {
	field, question, err := questionOf(p, c.config.Completion)
	if err != nil {
		return nil, err
	}
	text, err := marshal(question)
	if err != nil {
		return nil, permanent(0, ErrPrompt, c.secrets.Detail(err.Error()))
	}
	body := maps.Clone(c.parameters)
	body[field] = text
	return marshal(body)
}
