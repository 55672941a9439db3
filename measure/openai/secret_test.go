package openai_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"unicode"

	"github.com/bookend-rag/bookend/measure/model"
	"github.com/bookend-rag/bookend/measure/openai"
)

func TestKeyPrintsAsAPlaceholder(t *testing.T) {
	t.Parallel()
	k := openai.NewKey(key)
	type hidden struct{ k openai.Key }
	for _, value := range []any{k, &k, hidden{k}, struct{ inner any }{k}, []openai.Key{k}, map[string]openai.Key{"k": k}} {
		noSecret(t, value, key)
	}
	if got := k.String(); got != "[key]" {
		t.Errorf("key prints as %q", got)
	}
	if got := openai.NewKey("").String(); got != "[no key]" {
		t.Errorf("no key prints as %q", got)
	}
}

func TestClientAndConfigPrintWithoutSecrets(t *testing.T) {
	t.Parallel()
	config := openai.Config{BaseURL: "https://us3r:pa55word@host/x?token=qu3ry", Model: "m"}
	c, err := openai.New(config)
	if err != nil {
		t.Fatal(err)
	}
	keyed := client(t, "https://host/x?token=qu3ry", nil)
	want := `"m" by chat at https://host/x/v1/chat/completions`
	if got := c.String(); got != want {
		t.Errorf("client (-want +got)\n-%s\n+%s", want, got)
	}
	for _, value := range []any{c, *c, keyed, *keyed} {
		noSecret(t, struct{ inner any }{value}, key, "us3r", "pa55word", "qu3ry")
	}
	for _, value := range []any{c, *c, keyed, *keyed, config, &config} {
		noSecret(t, value, key, "us3r", "pa55word", "qu3ry")
	}
}

// TestServerRepeatsASecret lets a server say the secrets in every place and spelling.
func TestServerRepeatsASecret(t *testing.T) {
	t.Parallel()
	// White space that is collapsed, marks that are escaped, and base64 with a slash.
	const user, password = "someone", `p"a/s  s+w\ord<~~??`
	const inHeader = "0a1b2c3d/4e5f"
	const rawQuery = "0123%20456789%2fabcdef" // an escape that Go would write otherwise
	query, _ := url.QueryUnescape(rawQuery)
	inQuery := []string{query, rawQuery, url.QueryEscape(query)}
	pair := []byte(user + ":" + password)
	quoted, _ := json.Marshal(password)
	clients := []struct {
		name, user string
		key        openai.Key
		secrets    []string
	}{
		{"key", "", openai.NewKey(key), []string{key, base64.StdEncoding.EncodeToString([]byte(key))}},
		{"user", url.UserPassword(user, password).String() + "@", openai.Key{}, []string{
			user, password, url.QueryEscape(password), url.PathEscape(password),
			string(quoted[1 : len(quoted)-1]), strings.Trim(strconv.Quote(password), `"`),
			base64.StdEncoding.EncodeToString(pair), base64.URLEncoding.EncodeToString(pair),
		}},
		{"key as user", key + "@", openai.Key{}, []string{key}},
		{"short key as user", "zq~@", openai.Key{}, []string{"zq~"}},
		{"header", "", openai.Key{}, []string{inHeader, "Token " + inHeader, base64.StdEncoding.EncodeToString([]byte(inHeader))}},
	}
	if base64.StdEncoding.EncodeToString(pair) == base64.URLEncoding.EncodeToString(pair) {
		t.Fatal("the password does not tell the two forms of base64 apart")
	}
	for _, which := range clients {
		secrets := slices.Concat(which.secrets, inQuery)
		for _, secret := range secrets {
			secrets = append(secrets, strings.Join(strings.Fields(secret), " "))
		}
		spelled := slices.Clone(secrets)
		for _, secret := range secrets {
			half := len(secret) / 2
			spelled = append(spelled,
				secret[:half]+"\x00"+secret[half:], secret[:half]+"\u200b"+secret[half:], secret+secret,
				strings.Repeat("x", 190)+secret,
				secret[:half]+secret+secret[half:], // what is left when the inner one is cut out
			)
		}
		said := "" // what the server says; calls come one at a time
		for i, place := range places(&said) {
			server := serve(t, place)
			base := strings.Replace(server.URL, "//", "//"+which.user, 1) + "/?v=1&token=" + rawQuery
			c := client(t, base, func(c *openai.Config) {
				c.Key, c.Headers = which.key, map[string]openai.Key{"api-key": openai.NewKey("Token " + inHeader)}
			})
			for _, said = range spelled {
				_, err := c.Ask(t.Context(), question)
				if err == nil {
					t.Fatalf("%s, place %d, %q: no error", which.name, i, said)
				}
				noSecret(t, err, secrets...)
			}
		}
	}
}

// places are where a server can put a text that it was not asked for.
func places(text *string) []http.HandlerFunc {
	answer := func(status int, contentType string, body func() string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body())
		}
	}
	plain := func() string { return *text }
	asJSON := func() string { encoded, _ := json.Marshal(*text); return string(encoded) }
	asError := func() string { return `{"error":{"message":` + asJSON() + `}}` }
	return []http.HandlerFunc{
		answer(401, "text/plain", plain),
		answer(401, js, asJSON),
		answer(401, js, asError),
		answer(200, js, asError),
		answer(200, js, asJSON),
		func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "text/"+*text) },
		func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "/"+url.PathEscape(*text))
			w.WriteHeader(http.StatusFound)
		},
		func(w http.ResponseWriter, _ *http.Request) { // not HTTP at all
			connection, buffer, _ := http.NewResponseController(w).Hijack()
			_, _ = buffer.WriteString(*text + "\r\n\r\n")
			_ = buffer.Flush()
			_ = connection.Close()
		},
	}
}

func TestAnswerRepeatsTheKey(t *testing.T) {
	t.Parallel()
	body := strings.Replace(chat("It is "+key+"."), "stop", key, 1)
	answer, err := client(t, says(t, 200, js, body).URL, nil).Ask(t.Context(), question)
	if want := (model.Answer{Text: "It is ***.", FinishReason: "***"}); err != nil || answer != want {
		t.Errorf("answer (-want +got)\n-%+v\n+%+v, error %v", want, answer, err)
	}
}

func TestShortKeyLeavesAnswersAlone(t *testing.T) {
	t.Parallel()
	server := says(t, 200, js, chat("EMPTY on 2024-02-01"))
	c := client(t, server.URL+"?api-version=2024-02-01", func(c *openai.Config) { c.Key = openai.NewKey("EMPTY") })
	if answer, err := c.Ask(t.Context(), question); err != nil || answer.Text != "EMPTY on 2024-02-01" {
		t.Errorf("answer %q, error %v", answer.Text, err)
	}
	c = client(t, says(t, 500, js, "EMPTY EM\x00PTY").URL, func(c *openai.Config) { c.Key = openai.NewKey("EMPTY") })
	_, err := c.Ask(t.Context(), question)
	noSecret(t, err, "EMPTY")
}

func TestSecretInsideAnother(t *testing.T) {
	t.Parallel()
	server := says(t, 500, "text/plain", "not someone-else-9, someone")
	named := strings.Replace(server.URL, "//", "//someone:someone-else-9@", 1)
	c := client(t, named, func(c *openai.Config) { c.Key = openai.Key{} })
	if e := fault(t, c, openai.ErrServer, 500); !strings.HasSuffix(e.Error(), "says: not ***, ***") {
		t.Errorf("error %v", e)
	}
}

// TestMaskSpellsTheKey has keys that masking alone would write anew.
func TestMaskSpellsTheKey(t *testing.T) {
	t.Parallel()
	for k, text := range map[string]string{"*": "a*b", "a***": "aa***", "***": "***"} {
		c := client(t, says(t, 500, "text/plain", text).URL, func(c *openai.Config) { c.Key = openai.NewKey(k) })
		if _, err := c.Ask(t.Context(), question); strings.Contains(err.Error(), k) {
			t.Errorf("key %q: error %v", k, err)
		}
	}
}

func TestErrorsArePrintable(t *testing.T) {
	t.Parallel()
	all := strings.Builder{}
	for r := range rune(0x3000) {
		all.Reset()
		all.WriteRune(r)
		_, err := openai.ParseResponse(500, []byte("a"+all.String()+"b\xff"))
		if i := strings.IndexFunc(err.Error(), func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 {
			t.Errorf("%U: error %q", r, err)
		}
	}
}

// TestRedirectsAreNotFollowed counts what reaches the target: the same server,
// another port of the same machine, and another name.
func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	for _, status := range []int{301, 302, 303, 307, 308} {
		var reached atomic.Int32
		other := serve(t, func(http.ResponseWriter, *http.Request) { reached.Add(1) })
		var server *httptest.Server
		targets := []func() string{
			func() string { return server.URL + "/other" },
			func() string { return other.URL + "/x?key=" + key },
			func() string { return strings.Replace(other.URL, "127.0.0.1", "u:"+key+"@localhost", 1) },
			func() string { return "//" + strings.TrimPrefix(other.URL, "http://") },
			func() string { return "ftp://host/" },
			func() string { return "" },
			func() string { return ":" },
		}
		next := 0
		server = serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/other" {
				reached.Add(1)
			}
			w.Header().Set("Location", targets[next]())
			w.WriteHeader(status)
		})
		c := client(t, server.URL, nil)
		for next = range targets {
			if e := fault(t, c, openai.ErrRedirect, status); model.Retryable(e) {
				t.Errorf("%v is to be tried again", e)
			}
		}
		if n := reached.Load(); n != 0 {
			t.Errorf("%d: %d requests reached a target", status, n)
		}
	}
}

func TestRedirectNamesItsTarget(t *testing.T) {
	t.Parallel()
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "https://user:word@new.example/v1/chat/completions?q=concealed#part")
		w.WriteHeader(307)
	})
	e := fault(t, client(t, server.URL, nil), openai.ErrRedirect, 307)
	if !strings.Contains(e.Error(), "to https://new.example/v1/chat/completions;") {
		t.Errorf("error %v", e)
	}
	noSecret(t, e, "user:word", "concealed")
}

// TestProxySecret runs itself anew, since net/http reads the environment once. Nobody
// listens on the proxy's port.
func TestProxySecret(t *testing.T) {
	t.Parallel()
	if os.Getenv("HTTPS_PROXY") == "http://user:hidden-word@127.0.0.1:1" {
		_, err := client(t, "https://host.invalid", nil).Ask(t.Context(), question)
		t.Fatalf("error: %v", err)
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProxySecret$")
	child.Env = append(os.Environ(), "HTTPS_PROXY=http://user:hidden-word@127.0.0.1:1")
	out, _ := child.CombinedOutput()
	if !bytes.Contains(out, []byte("proxyconnect tcp")) || bytes.Contains(out, []byte("hidden-word")) {
		t.Errorf("output %s", out)
	}
}
