package backend

import (
	"io"
	"net/http"
	"testing"
)

func TestRecorderKeepsTheBeginningOfAResponse(t *testing.T) {
	for _, c := range []struct {
		writes []string
		body   string
		cut    bool
	}{
		{nil, "", false},
		{[]string{"1234", "56"}, "123456", false},
		{[]string{"1234", "5678"}, "123456", true},
		{[]string{"12345678", "9"}, "123456", true},
	} {
		r := NewRecorder(6)
		for _, text := range c.writes {
			if n, err := io.WriteString(r, text); n != len(text) || err != nil {
				t.Errorf("%q: got %d, %v, want all of it taken", text, n, err)
			}
		}
		if string(r.Body()) != c.body || r.Cut != c.cut || r.Status() != http.StatusOK {
			t.Errorf("%q: got %q, cut %v, status %d, want %q, cut %v, status 200", c.writes, r.Body(), r.Cut, r.Status(), c.body, c.cut)
		}
	}
}

func TestRecorderKeepsTheFirstStatus(t *testing.T) {
	r := NewRecorder(6)
	r.Header().Set("Retry-After", "1")
	r.WriteHeader(http.StatusTeapot)
	r.WriteHeader(http.StatusOK)
	if r.Status() != http.StatusTeapot || r.Header().Get("Retry-After") != "1" {
		t.Errorf("got %d, %v", r.Status(), r.Header())
	}
}
