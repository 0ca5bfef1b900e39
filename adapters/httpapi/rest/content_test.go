package rest

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestTagsOfAHeader(t *testing.T) {
	for text, want := range map[string][]string{
		"":                   nil,
		"*":                  {"*"},
		`"a"`:                {`"a"`},
		` "a" , W/"b","c,d"`: {`"a"`, `W/"b"`, `"c,d"`},
		`"a",,"b",`:          {`"a"`, `"b"`},
		`""`:                 {`""`},
	} {
		got, err := EntityTags(http.Header{"If-Match": {text}}, "If-Match")
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
	}
	got, err := EntityTags(http.Header{"If-Match": {`"a"`, `"b"`}}, "If-Match")
	if err != nil || !slices.Equal(got, []string{`"a"`, `"b"`}) {
		t.Errorf("two headers: got %q, %v, want both tags", got, err)
	}
	for _, text := range []string{"a", `"a`, `a"`, `"a" "b"`, `"a"b`, `*, "a"`, `w/"a"`, `W/a`, `W/`, `,`} {
		if got, err := EntityTags(http.Header{"If-Match": {text}}, "If-Match"); !core.IsCode(err, core.CodeInvalidRequest) {
			t.Errorf("%q: got %q, %v, want invalid_request", text, got, err)
		}
	}
}

func FuzzTags(f *testing.F) {
	for _, seed := range []string{"", "*", `"a"`, `W/"a", "b"`, `"a" "b"`, `"`, "W/", ",,"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := EntityTags(http.Header{"If-Match": {text}}, "If-Match")
		if err != nil {
			if list != nil || !core.IsCode(err, core.CodeInvalidRequest) {
				t.Fatalf("%q: got %q, %v", text, list, err)
			}
			return
		}
		for _, tag := range list {
			if tag != "*" && !strings.HasSuffix(tag, `"`) || !strings.Contains(text, tag) {
				t.Fatalf("%q: got the tag %q", text, tag)
			}
		}
	})
}

func TestContentTypesByExtension(t *testing.T) {
	for path, want := range map[string]string{
		"a.html": "text/html; charset=utf-8", "a/B.CSS": "text/css; charset=utf-8", "a.json": "application/json", "a.svg": "image/svg+xml",
		"a.tsx": "text/plain; charset=utf-8", "a.md": "text/markdown; charset=utf-8", "a.png": "application/octet-stream",
		"a.bin": "application/octet-stream", "Makefile": "application/octet-stream", ".html": "application/octet-stream",
	} {
		if got := ContentType(core.MustPath(path)); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}
