package rest

import (
	"net/url"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func FuzzTarget(f *testing.F) {
	for _, seed := range []string{"/", "//", "/boxes/p/files/../x", "/boxes/p/files/%2e%2e%2fx", "/boxes/%00", "/a%zz", "/bare/%25"} {
		f.Add(seed)
	}
	rt := NewRouter([]Route{Open("GET", "/boxes/:boxId/files/*path", nil), Open("GET", "/bare/*path", nil)}, func(*Request, Route) error { return nil })
	f.Fuzz(func(t *testing.T, path string) {
		address := &url.URL{}
		if parsed, err := url.ParseRequestURI(path); err == nil {
			address = parsed
		}
		segments, err := rt.canonical(address.EscapedPath())
		if err != nil {
			if code := core.CodeOf(err); code != core.CodeNotFound && code != core.CodeInvalidRequest {
				t.Errorf("%q: got %v, want %s or %s", path, err, core.CodeNotFound, core.CodeInvalidRequest)
			}
			return
		}
		decoded, err := url.PathUnescape(strings.Join(segments, "/"))
		if err != nil || decoded != address.Path {
			t.Errorf("%q: got %q, %v, want a path that decodes to %q", path, segments, err, address.Path)
		}
	})
}
