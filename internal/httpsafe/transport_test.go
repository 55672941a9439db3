package httpsafe_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/internal/httpsafe"
)

// TestGuardLooksAtTheAddress stands for a "localhost" that leads elsewhere. The
// address is one of documentation, which nobody has; it must not even be dialed.
func TestGuardLooksAtTheAddress(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"192.0.2.1:80", "[2001:db8::1]:80"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+host, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = httpsafe.Transport(1, true).RoundTrip(r)
		if err == nil || !strings.Contains(err.Error(), "leads to another") {
			t.Errorf("%s: error %v", host, err)
		}
	}
	if httpsafe.Transport(1, true).Proxy != nil {
		t.Error("a guarded request may go through a proxy")
	}
}

func TestIdleConnectionsEndBeforeTheServersDo(t *testing.T) {
	t.Parallel()
	if got := httpsafe.Transport(1, false).IdleConnTimeout; got <= 0 || got >= 5*time.Second {
		t.Errorf("idle connections are kept for %v", got)
	}
}
