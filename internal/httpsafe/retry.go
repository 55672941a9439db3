package httpsafe

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// longest is what a server's wish to wait is cut to.
const longest = 24 * time.Hour

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

// RetryAfter returns how long a server asks to wait: by retry-after-ms, which counts
// in milliseconds, or else by Retry-After, seconds or a date, which is measured by
// the server's own clock if it tells its time. What cannot be read, what is negative,
// and what is past, is 0; the rest is cut to a day.
func RetryAfter(header http.Header) time.Duration {
	if wait, _ := number(header.Get("Retry-After-Ms"), time.Millisecond); wait > 0 {
		return wait
	}
	now, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return ParseRetryAfter(header.Get("Retry-After"), now)
}

// ParseRetryAfter is RetryAfter for the value of the header of that name, read at
// now.
func ParseRetryAfter(value string, now time.Time) time.Duration {
	if wait, ok := number(value, time.Second); ok {
		return wait
	}
	if date, err := http.ParseTime(strings.TrimSpace(value)); err == nil {
		return min(max(date.Sub(now), 0), longest) // Sub does not overflow
	}
	return 0
}

// number reads a decimal number of units, at least 0 and at most the longest wait.
func number(value string, unit time.Duration) (time.Duration, bool) {
	n, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(n) { // beyond all floats it is infinite
		return 0, false
	}
	most := float64(longest / unit)
	return time.Duration(min(max(n, 0), most) * float64(unit)), true
}
