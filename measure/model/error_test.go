package model

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"
)

func TestRetryable(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]bool{
		0: true, 200: true, 307: false, 400: false, 401: false, 404: false, 408: true, 425: true, 429: true,
		500: true, 501: false, 503: true, 505: false, 529: true,
	} {
		if got := Retryable(fmt.Errorf("wrapped: %w", &Error{Status: status})); got != want {
			t.Errorf("%d: -want %v +got %v", status, want, got)
		}
		if Retryable(&Error{Status: status, Permanent: true}) {
			t.Errorf("%d: permanent, but retried", status)
		}
	}
	if Retryable(nil) || !Retryable(errors.New("reset")) {
		t.Error("nil is retried, or an error of another type is not")
	}
}

func TestParseRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for header, want := range map[string]time.Duration{
		"": 0, "3": 3 * time.Second, " 0.5 ": time.Second / 2, "-4": 0, "99999999": 24 * time.Hour, "soon": 0, "1h": 0, "1m3": 0, "NaN": 0, "Inf": 24 * time.Hour,
		now.Add(time.Minute).Format(http.TimeFormat): time.Minute, now.Add(-time.Minute).Format(http.TimeFormat): 0,
	} {
		if got := ParseRetryAfter(header, now); got != want {
			t.Errorf("%q: -want %v +got %v", header, want, got)
		}
	}
}
