package httpsafe

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Retryable says whether a server that answered with such a status may answer
// otherwise when it is asked again: 408, 425, 429, and 5xx but for 501 and 505.
func Retryable(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return false
	}
	return status >= 500
}

// RetryAfter returns how long a server asks to wait by the header of that name,
// seconds or a date, which is measured by the server's own clock if it tells its
// time. What cannot be read, and what is past, is 0; the rest is cut to a day.
func RetryAfter(header http.Header) time.Duration {
	now, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return ParseRetryAfter(header.Get("Retry-After"), now)
}

// ParseRetryAfter is RetryAfter for the value of the header, read at now.
func ParseRetryAfter(value string, now time.Time) time.Duration {
	const day = 24 * time.Hour
	if seconds, err := strconv.ParseFloat(strings.TrimSpace(value), 64); err == nil && !math.IsNaN(seconds) {
		return time.Duration(min(max(seconds, 0), day.Seconds()) * float64(time.Second))
	}
	if date, err := http.ParseTime(value); err == nil {
		return min(max(date.Sub(now), 0), day)
	}
	return 0
}
