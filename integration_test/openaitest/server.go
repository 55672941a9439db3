// Package openaitest is an OpenAI-compatible chat server that records what reaches
// it, on an address of this machine.
package openaitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Server answers chat requests by Reply and records them.
type Server struct {
	// URL is the base URL for a client, with /v1.
	URL string
	// Client is an HTTP client whose connections the server closes when it stops.
	Client *http.Client

	reply func(Request) Reply
	mu    sync.Mutex
	seen  []Request
}

// Request is one recorded request.
type Request struct {
	Body     []byte // as it arrived
	Messages []Message
	Stream   bool
	Tools    json.RawMessage
}

// Message is one message of a request, its parts of text joined.
type Message struct{ Role, Content string }

// Reply is what the server answers.
type Reply struct {
	// Chunks are the pieces of the answer; without streaming they are joined.
	Chunks []string
	// Go, when set, holds back all chunks but the first until it is closed.
	Go <-chan struct{}
	// Drop breaks the connection off after the first chunk.
	Drop bool
	// Tool asks for a call of that tool with Arguments, in place of an answer.
	Tool, Arguments string
	// PromptTokens and CachedTokens are what the server says of the prompt; 1 and 0 where
	// PromptTokens is 0.
	PromptTokens, CachedTokens int
}

// Text is the Reply of one piece.
func Text(answer string) Reply { return Reply{Chunks: []string{answer}} }

// New starts a server that stops with the test.
func New(t testing.TB, reply func(Request) Reply) *Server {
	s := &Server{reply: reply}
	server := httptest.NewServer(http.HandlerFunc(s.handle))
	s.URL = server.URL + "/v1"
	transport := &http.Transport{}
	s.Client = &http.Client{Transport: transport}
	t.Cleanup(func() {
		transport.CloseIdleConnections()
		server.Close()
	})
	return s
}

// Requests returns what arrived so far, in order of arrival.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.seen...)
}

func (s *Server) handle(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	request, err := parse(body)
	if err != nil || !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.Error(w, fmt.Sprintf("%s: %v", r.URL.Path, err), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.seen = append(s.seen, request)
	s.mu.Unlock()
	reply := s.reply(request)
	if request.Stream {
		stream(w, r, reply)
		return
	}
	message := map[string]any{"role": "assistant", "content": strings.Join(reply.Chunks, "")}
	finish := "stop"
	if reply.Tool != "" {
		message["tool_calls"], finish = []any{toolCall(reply)}, "tool_calls"
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"id": "1", "object": "chat.completion", "created": 1, "model": "recorder",
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}},
		"usage": map[string]any{
			"prompt_tokens": max(reply.PromptTokens, 1), "completion_tokens": 1, "total_tokens": max(reply.PromptTokens, 1) + 1,
			"prompt_tokens_details": map[string]any{"cached_tokens": reply.CachedTokens},
		},
	})
}

func toolCall(r Reply) map[string]any {
	return map[string]any{
		"index": 0, "id": "call_1", "type": "function",
		"function": map[string]any{"name": r.Tool, "arguments": r.Arguments},
	}
}

func stream(w http.ResponseWriter, r *http.Request, reply Reply) {
	w.Header().Set("Content-Type", "text/event-stream")
	send := func(delta map[string]any, finish any) {
		data, _ := json.Marshal(map[string]any{
			"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "recorder",
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}},
		})
		fmt.Fprintf(w, "data: %s\n\n", data)
		w.(http.Flusher).Flush()
	}
	if reply.Tool != "" {
		send(map[string]any{"role": "assistant", "tool_calls": []any{toolCall(reply)}}, nil)
		send(map[string]any{}, "tool_calls")
		fmt.Fprint(w, "data: [DONE]\n\n")
		return
	}
	for i, chunk := range reply.Chunks {
		send(map[string]any{"role": "assistant", "content": chunk}, nil)
		if i > 0 {
			continue
		}
		if reply.Drop {
			panic(http.ErrAbortHandler) // breaks the connection off
		}
		if reply.Go != nil {
			select {
			case <-reply.Go:
			case <-r.Context().Done():
				return
			}
		}
	}
	send(map[string]any{}, "stop")
	fmt.Fprint(w, "data: [DONE]\n\n")
}

func parse(body []byte) (Request, error) {
	var wire struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
		Stream bool            `json:"stream"`
		Tools  json.RawMessage `json:"tools"`
	}
	if err := json.Unmarshal(body, &wire); err != nil {
		return Request{}, err
	}
	request := Request{Body: bytes.Clone(body), Stream: wire.Stream, Tools: wire.Tools}
	for _, m := range wire.Messages {
		content, err := text(m.Content)
		if err != nil {
			return Request{}, err
		}
		request.Messages = append(request.Messages, Message{m.Role, content})
	}
	return request, nil
}

// text reads a content that is a string, null, or a list of parts.
func text(content json.RawMessage) (string, error) {
	var plain string
	if len(content) == 0 || json.Unmarshal(content, &plain) == nil {
		return plain, nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(content, &parts); err != nil {
		return "", err
	}
	for _, p := range parts {
		plain += p.Text
	}
	return plain, nil
}
