package httpsafe_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/bookend-rag/bookend/internal/httpsafe"
)

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	const (
		now = "Mon, 02 Nov 2026 10:00:00 GMT"
		day = 24 * time.Hour
	)
	for _, c := range []struct {
		name, ms, after, date string
		want                  time.Duration
	}{
		{"nothing", "", "", now, 0},
		{"seconds", "", "2", now, 2 * time.Second},
		{"parts of a second", "", " 0.5 ", now, 500 * time.Millisecond},
		{"milliseconds", "250", "", now, 250 * time.Millisecond},
		{"milliseconds are more exact", "1250", "2", now, 1250 * time.Millisecond},
		{"parts of a millisecond", "0.5", "", now, 500 * time.Microsecond},
		{"milliseconds that cannot be read", "soon", "2", now, 2 * time.Second},
		{"milliseconds of zero", "0", "2", now, 2 * time.Second},
		{"milliseconds below zero", "-1", "2", now, 2 * time.Second},
		{"milliseconds beyond a day", "1e12", "2", now, day},
		{"milliseconds beyond all numbers", "1e999", "2", now, day},
		{"zero", "", "0", now, 0},
		{"below zero", "", "-5", now, 0},
		{"far below zero", "", "-1e999", now, 0},
		{"beyond a day", "", "86401", now, day},
		{"beyond a duration", "", "99999999999999999999", now, day},
		{"beyond all numbers", "", "1e999", now, day},
		{"so many digits that no float holds them", "", strings.Repeat("9", 400), now, day},
		{"words", "", "soon", now, 0},
		{"no number", "", "NaN", now, 0},
		{"infinity", "", "Inf", now, day},
		{"hexadecimal", "", "0x10", now, 0},
		{"with a unit", "", "5s", now, 0},
		{"two numbers", "", "1 2", now, 0},
		{"signs alone", "", "-+.", now, 0},
		{"a date to come", "", "Mon, 02 Nov 2026 10:00:07 GMT", now, 7 * time.Second},
		{"a date of now", "", now, now, 0},
		{"a date that is past", "", "Mon, 02 Nov 2026 09:00:00 GMT", now, 0},
		{"a date that is long past", "", "Mon, 01 Jan 0001 00:00:00 GMT", now, 0},
		{"a date that is far away", "", "Fri, 31 Dec 9999 23:59:59 GMT", now, day},
		{"a span that no duration holds", "", "Fri, 31 Dec 9999 23:59:59 GMT", "Mon, 01 Jan 0001 00:00:00 GMT", day},
		{"the other way round", "", "Mon, 01 Jan 0001 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT", 0},
		{"an old form of dates", "", "Monday, 02-Nov-26 10:00:07 GMT", now, 7 * time.Second},
		{"a date by our clock, long past", "", "Mon, 02 Nov 2015 10:00:00 GMT", "", 0},
		{"a date by our clock, far away", "", "Fri, 31 Dec 9999 23:59:59 GMT", "no date", day},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			header := http.Header{}
			for name, value := range map[string]string{"retry-after-ms": c.ms, "retry-after": c.after, "date": c.date} {
				if value != "" {
					header.Set(name, value)
				}
			}
			if got := httpsafe.RetryAfter(header); got != c.want {
				t.Errorf("(-want +got)\n-%v\n+%v", c.want, got)
			}
		})
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, seed := range []string{"", "1", "-1", "1e999", "Mon, 02 Nov 2026 10:00:07 GMT", "0.0000001", "+", "e"} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, ms, after string) {
		got := httpsafe.RetryAfter(http.Header{"Retry-After-Ms": {ms}, "Retry-After": {after}})
		if got < 0 || got > 24*time.Hour {
			t.Errorf("%v", got)
		}
	})
}
