package bwrap

import (
	"bufio"
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// A target that passes the checks is dialled as it was checked, and is a name of the list.
func FuzzTarget(f *testing.F) {
	for _, line := range []string{
		"CONNECT api.allowed.test:443 HTTP/1.1", "CONNECT evil.test:443 HTTP/1.1", "CONNECT a@api.allowed.test:443 HTTP/1.1", "CONNECT [::1]:443 HTTP/1.1",
		"GET http://api.allowed.test/ HTTP/1.1", "GET http://api.allowed.test:80/x?y#z HTTP/1.1", "GET http://evil.test/.allowed.test HTTP/1.1",
		"GET http://evil.test%00.allowed.test/ HTTP/1.1", "GET //api.allowed.test/ HTTP/1.1", "CONNECT /api.allowed.test:443 HTTP/1.1", "GET http:api.allowed.test HTTP/1.1",
	} {
		f.Add(line)
	}
	hosts := core.HostPatterns{"*.allowed.test"}
	f.Fuzz(func(t *testing.T, line string) {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(line + "\r\nHost: evil.test\r\n\r\n")))
		if err != nil {
			return
		}
		host, port, wanted := target(r)
		if host == "" || !hosts.Allow(host) || port != wanted {
			return
		}
		if name := strings.ToLower(strings.TrimSuffix(host, ".")); !strings.HasSuffix(name, ".allowed.test") || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789.-") != "" {
			t.Errorf("%q: got %q let through", line, host)
		}
		if r.Method != http.MethodConnect && (r.URL.Hostname() != host || r.Host != r.URL.Host || port != "80") {
			t.Errorf("%q: got %q checked and %q for %q sent", line, host, r.URL.Host, r.Host)
		}
	})
}
