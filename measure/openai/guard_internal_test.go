package openai

import (
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/bookend-rag/bookend/measure/model"
)

func TestGuardedIsTheDefault(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		config  Config
		guarded bool
	}{
		{Config{BaseURL: "http://localhost", Key: NewKey("k")}, true},
		{Config{BaseURL: "http://localhost?q=1"}, true},
		{Config{BaseURL: "http://u@localhost"}, true},
		{Config{BaseURL: "http://localhost"}, false},
		{Config{BaseURL: "http://localhost", Key: NewKey("k"), AllowPlainKey: true}, false},
		{Config{BaseURL: "https://localhost", Key: NewKey("k")}, false},
	} {
		test.config.Model = "m"
		c, err := New(test.config)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.transport.Proxy == nil; got != test.guarded {
			t.Errorf("%v, key %v: guarded %v, want %v", test.config, test.config.Key, got, test.guarded)
		}
	}
}

// TestElsewhereIsPermanent asks by a client that was made for this machine.
func TestElsewhereIsPermanent(t *testing.T) {
	t.Parallel()
	c, err := New(Config{BaseURL: "http://localhost", Key: NewKey("k"), Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	c.address.Base.Host = "192.0.2.1:80"
	if _, err := c.Ask(t.Context(), model.Prompt{Text: "?"}); !errors.Is(err, ErrConnection) || model.Retryable(err) {
		t.Errorf("error %v, to be tried again: %v", err, model.Retryable(err))
	}
}

func TestHTTPS(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"`+r.Proto+`"}}]}`)
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	ask := func(trust bool) (model.Answer, error) {
		c, err := New(Config{BaseURL: server.URL, Key: NewKey("k"), Model: "m"})
		if err != nil {
			t.Fatal(err)
		}
		defer c.CloseIdleConnections()
		if trust {
			c.transport.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig
		}
		return c.Ask(t.Context(), model.Prompt{Text: "?"})
	}
	if answer, err := ask(true); err != nil || answer.Text != "HTTP/2.0" {
		t.Errorf("answer %+v, error %v", answer, err)
	}
	if _, err := ask(false); !errors.Is(err, ErrConnection) || model.Retryable(err) {
		t.Errorf("a server with an unknown certificate: error %v, to be tried again: %v", err, model.Retryable(err))
	}
}
