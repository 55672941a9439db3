package httpsafe

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"time"
)

// maxIdle is below the five seconds after which llama.cpp, and vLLM by default, end
// an idle connection: a call that starts just then would be lost.
const maxIdle = 4 * time.Second

// Transport keeps a secret on this machine if it is guarded: "localhost" is a name
// like any other, and a proxy may be anywhere. Without an http.Client around it,
// nothing follows a redirect.
func Transport(connections int, guarded bool) *http.Transport {
	dialer := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	proxy := http.ProxyFromEnvironment
	if guarded {
		dialer.Control = onlyLoopback
		proxy = nil
	}
	return &http.Transport{
		Proxy:                  proxy,
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           connections,
		MaxIdleConnsPerHost:    connections,
		IdleConnTimeout:        maxIdle,
		TLSHandshakeTimeout:    30 * time.Second,
		MaxResponseHeaderBytes: 64 << 10,
	}
}

func onlyLoopback(_, address string, _ syscall.RawConn) error {
	host, _, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
		return errElsewhere
	}
	return nil
}

var errElsewhere = errors.New("the name of this machine leads to another one, and the request holds a secret")

// Untrusted says that a connection failed because of whom it would have reached,
// which another attempt does not change.
func Untrusted(err error) bool {
	return errors.Is(err, errElsewhere) || errors.As(err, new(*tls.CertificateVerificationError))
}

// Target is where a redirect leads, without user info and query, as part of an error
// once secrets are taken from it.
func Target(response *http.Response) string {
	to, err := response.Location()
	if err != nil {
		return "to nowhere"
	}
	return "to " + (&url.URL{Scheme: to.Scheme, Host: to.Host}).String() + to.Path // as it reads, so that an echo shows
}
