package httpsafe_test

import (
	"strings"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/internal/httpsafe"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, body, text, code string }{
		{"OpenAI", `{"error":{"message":"slow down","type":"rate","code":"limit"}}`, "slow down", "limit"},
		{"a type in place of a code", `{"error":{"message":"slow down","type":"rate","code":null}}`, "slow down", "rate"},
		{"Ollama", `{"error":"no model"}`, "no model", ""},
		{"a message", `{"code":"Arrearage","message":"overdue"}`, "overdue", ""},
		{"FastAPI", `{"detail":"Not Found"}`, "Not Found", ""},
		{"FastAPI, a refused request", `{"detail":[{"type":"extra_forbidden","loc":["body","top_n"],"msg":"Extra inputs are not permitted","input":{"query":"private"}},{"loc":["body","documents",0],"msg":"too long"}]}`, "body.top_n: Extra inputs are not permitted; body.documents.0: too long", ""},
		{"FastAPI, without a place", `{"detail":[{"msg":"no"},{"loc":[]}]}`, "no", ""},
		{"none", `{"results":[]}`, "", ""},
		{"an empty list", `{"detail":[]}`, "", ""},
		{"null", `null`, "", ""},
		{"a page", `<html>`, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			text, code, found := httpsafe.Words([]byte(c.body))
			if text != c.text || code != c.code || found != (c.text != "") {
				t.Errorf("got %q, %q, %v", text, code, found)
			}
			if whole, _ := httpsafe.Complaint([]byte(c.body)); c.text == "" && whole != c.body {
				t.Errorf("what has no message became %q", whole)
			}
		})
	}
}

func TestComplaintReadsEscapes(t *testing.T) {
	t.Parallel()
	if text, _ := httpsafe.Complaint([]byte(`{"q":"f\u00fcr \u003cb\u003e"}`)); text != `{"q":"für <b>"}`+"\n" {
		t.Errorf("got %q", text)
	}
}

func TestWithoutEcho(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, sent, want string }{
		{"nothing of it", "too many documents", "What is my balance?", "too many documents"},
		{"the whole", "bad query: 'What is my balance?' of 19", "What is my balance?", "bad query: '***' of 19"},
		{"its beginning", "bad query: 'What is my bal…'", "What is my balance?", "bad query: '***…'"},
		{"its beginning, as an error was cut", "bad query: 'What is…", "What is my balance?", "bad query: '***…"},
		{"its end", "no tokens in my balance?", "What is my balance?", "no tokens in***"},
		{"in another white space", "bad What is my balance?", "What\n is  my\tbalance?", "bad ***"},
		{"with a part escaped", `"query": "Is \"Blue Harbour\" the code of the vault"`, `Is "Blue Harbour" the code of the vault`, `"query": "Is \"Blue Harbour\***"`},
		{"a short one", "unknown word: VPN?", "VPN?", "unknown word: ***"},
		{"too short to be one", "a ? b", "?", "a ? b"},
		{"an empty one", "a ? b", "", "a ? b"},
		{"another alphabet", "плохо: Где мой баланс сейчас", "Где мой баланс сейчас", "плохо: ***"},
		{"twice", "Blue Harbour and Blue Harbour", "Blue Harbour", "*** and ***"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := httpsafe.WithoutEcho(c.text, "of another", c.sent); got != c.want {
				t.Errorf("(-want +got)\n-%s\n+%s", c.want, got)
			}
		})
	}
}

// The largest batch that a client sends by itself is searched in well under a second.
func TestWithoutEchoOfLargeTexts(t *testing.T) {
	t.Parallel()
	texts := make([]string, 32)
	for i := range texts {
		texts[i] = strings.Repeat("some words of a text ", 5000)
	}
	start := time.Now()
	httpsafe.WithoutEcho(strings.Repeat("the server says what it wants ", 7)[:200], texts...)
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
	t.Log(time.Since(start))
}

func FuzzWithoutEcho(f *testing.F) {
	f.Add("bad query: What is my balance?", "What is my balance?")
	f.Add("ä\x80", "ääää")
	f.Fuzz(func(t *testing.T, text, sent string) {
		text = httpsafe.Printable(text)
		got := httpsafe.WithoutEcho(text, sent)
		if sent = httpsafe.Printable(sent); len(sent) >= 4 && !strings.Contains(sent, "***") && !strings.Contains("***", sent) && strings.Contains(got, sent) {
			t.Errorf("%q still holds %q", got, sent)
		}
	})
}
