package modelhttp

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// refusalPatience bounds the wait for the text of a refusal.
const refusalPatience = 10 * time.Second

// maxRetryAfter bounds the wait that a vendor may demand. More than a day is a mistake of
// the server.
const maxRetryAfter = 24 * time.Hour

// retryAfter returns how long the vendor demands to wait: Retry-After-Ms (OpenAI), or
// Retry-After in seconds or as a date (RFC 9110, section 10.2.3). A value that is invalid
// or in the past is 0.
func retryAfter(header http.Header, now time.Time) time.Duration {
	if wait, ok := parseWait(header.Get("Retry-After-Ms"), time.Millisecond); ok {
		return wait
	}
	text := header.Get("Retry-After")
	if wait, ok := parseWait(text, time.Second); ok {
		return wait
	}
	date, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return min(max(date.Sub(now), 0), maxRetryAfter)
}

func parseWait(text string, unit time.Duration) (time.Duration, bool) {
	value, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil || value != value || value < 0 {
		return 0, false
	}
	if value >= float64(maxRetryAfter/unit) {
		return maxRetryAfter, true
	}
	return time.Duration(value * float64(unit)), true
}
