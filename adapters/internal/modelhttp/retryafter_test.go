package modelhttp

import (
	"net/http"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		name, value string
		want        time.Duration
	}{
		{"Retry-After", "1", time.Second},
		{"Retry-After", " 86400 ", 24 * time.Hour},
		{"Retry-After", "0", 0},
		{"Retry-After", "1.5", 1500 * time.Millisecond},
		{"Retry-After", "86401", 24 * time.Hour},
		{"Retry-After", "99999999999999999999999", 24 * time.Hour},
		{"Retry-After", "1e300", 24 * time.Hour},
		{"Retry-After", "Inf", 24 * time.Hour},
		{"Retry-After", "NaN", 0},
		{"Retry-After", "-5", 0},
		{"Retry-After", "soon", 0},
		{"Retry-After", "", 0},
		{"Retry-After", "Sun, 01 Mar 2026 12:00:30 GMT", 30 * time.Second},
		{"Retry-After", "Sunday, 01-Mar-26 12:01:00 GMT", time.Minute},
		{"Retry-After", "Sat, 28 Feb 2026 12:00:00 GMT", 0},
		{"Retry-After", "Fri, 31 Dec 9999 23:59:59 GMT", 24 * time.Hour},
		{"Retry-After-Ms", "250", 250 * time.Millisecond},
		{"Retry-After-Ms", "x", 0},
	} {
		if got := retryAfter(http.Header{row.name: {row.value}}, now); got != row.want {
			t.Errorf("%s: %q: got %v, want %v", row.name, row.value, got, row.want)
		}
	}
	both := http.Header{"Retry-After": {"2"}, "Retry-After-Ms": {"1500"}}
	if got := retryAfter(both, now); got != 1500*time.Millisecond {
		t.Errorf("both: got %v, want 1.5s", got)
	}
}

func TestQuoteHidesTheKey(t *testing.T) {
	caller := &Caller{config: Config{Key: "sk-secret"}}
	long := make([]byte, 0, 1000)
	for range 100 {
		long = append(long, "sk-secret\r\n\t"...)
	}
	for _, row := range []struct{ text, want string }{
		{"the key sk-secret\nis odd\x00\x1b[31m", ": the key [key] is odd [31m"},
		{" \n", ""},
		{"\xff\xfe", ""},
	} {
		if got := caller.quote(row.text); got != row.want {
			t.Errorf("%q: got %q, want %q", row.text, got, row.want)
		}
	}
	if got := []rune(caller.quote(string(long))); len(got) > maxQuote+3 {
		t.Errorf("got %d characters, want at most %d", len(got), maxQuote+3)
	}
}

func TestObjectArgs(t *testing.T) {
	for _, row := range []struct{ args, want string }{
		{`{"a":1}`, `{"a":1}`}, {``, `{}`}, {` null `, `{"arguments":null}`}, {`"text"`, `{"arguments":"text"}`},
		{`[1]`, `{"arguments":[1]}`}, {`{"a":`, `{"arguments":"{\"a\":"}`},
	} {
		if got := ObjectArgs([]byte(row.args)); string(got) != row.want {
			t.Errorf("%q: got %s, want %s", row.args, got, row.want)
		}
	}
}

func FuzzScan(f *testing.F) {
	for _, seed := range []string{`{"a":"}\""}`, `[[]]`, `{`, `"x"`, `}{`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var call openCall
		call.grow([]byte(text))
		trimmed := wholeArgs([]byte(text))
		isObject := len(trimmed) > 2 && trimmed[0] == '{'
		if isObject && !call.scan.complete {
			t.Errorf("%q: got incomplete, want complete", text)
		}
	})
}
