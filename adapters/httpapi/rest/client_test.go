package rest

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
)

func TestOnlyTrustedProxiesAreBelieved(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for _, c := range []struct {
		peer      string
		forwarded []string
		want      string
	}{
		{"192.0.2.1:5", nil, "192.0.2.1"},
		{"192.0.2.1:5", []string{"198.51.100.7"}, "192.0.2.1"},
		{"10.0.0.1:5", nil, "10.0.0.1"},
		{"10.0.0.1:5", []string{"198.51.100.7"}, "198.51.100.7"},
		{"10.0.0.1:5", []string{"1.1.1.1, 198.51.100.7"}, "198.51.100.7"},
		{"10.0.0.1:5", []string{"1.1.1.1, 198.51.100.7, 10.0.0.2"}, "198.51.100.7"},
		{"10.0.0.1:5", []string{"1.1.1.1", "198.51.100.7"}, "198.51.100.7"},
		{"10.0.0.1:5", []string{"198.51.100.7, garbage"}, "10.0.0.1"},
		{"10.0.0.1:5", []string{"garbage, 198.51.100.7"}, "198.51.100.7"},
		{"10.0.0.1:5", []string{"10.0.0.9"}, "10.0.0.9"},
		{"10.0.0.1:5", []string{""}, "10.0.0.1"},
		{"[::ffff:10.0.0.1]:5", []string{"::ffff:198.51.100.7"}, "198.51.100.7"},
		{"[fd00::1]:5", []string{"2001:db8::1"}, "2001:db8::1"},
		{"@", []string{"198.51.100.7"}, "invalid IP"},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = c.peer
		for _, line := range c.forwarded {
			r.Header.Add("X-Forwarded-For", line)
		}
		if got := ClientIP(r, trusted).String(); got != c.want {
			t.Errorf("%s forwarding %q: got %s, want %s", c.peer, c.forwarded, got, c.want)
		}
	}
}
