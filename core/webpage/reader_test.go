package webpage_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/webpage"
	"github.com/atelierhq/atelier/ports/netguard"
)

// saying answers every request with a content and its media type.
func saying(kind, content string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = []string{kind}
		_, _ = w.Write([]byte(content))
	})
}

func leading(to string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Location"] = []string{to}
		w.WriteHeader(http.StatusFound)
	})
}

func newReader(guard netguard.Guard) *webpage.Reader {
	return webpage.NewReader(guard, true, func(string) bool { return false })
}

// anywhere is the rule that lets every address be read.
func anywhere(string) error { return nil }

func read(t *testing.T, handler http.Handler) (webpage.Page, error) {
	t.Helper()
	return newReader(memory.NewGuard().Handle("a.example.com", handler)).Read(t.Context(), "https://a.example.com/x", anywhere)
}

func TestAPageIsReadAsText(t *testing.T) {
	var asked *http.Request
	page, err := read(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Clone(context.Background())
		saying("text/html; charset=utf-8", "<title>Hello &amp; you</title><h1>A</h1><p>One <b>two</b>.</p>").ServeHTTP(w, r)
	}))
	if err != nil || page.Title != "Hello & you" || page.Text != "# A\n\nOne two." || page.Address != "https://a.example.com/x" || page.Cut {
		t.Errorf("got %+v, %v, want the page's text", page, err)
	}
	if asked.Method != http.MethodGet || asked.Header.Get("Cookie")+asked.Header.Get("Authorization")+asked.Header.Get("Referer") != "" {
		t.Errorf("got %s with %v, want a GET without anything of ours", asked.Method, asked.Header)
	}
}

func TestKindsAndCharacterSets(t *testing.T) {
	for name, c := range map[string]struct {
		kind, content, want string
		code                core.Code
	}{
		"plain text":                        {"text/plain", "a <b> c", "a <b> c", ""},
		"JSON":                              {"application/json", `{"a":1}`, `{"a":1}`, ""},
		"JSON of a kind":                    {"application/ld+json", `{"a":1}`, `{"a":1}`, ""},
		"no kind, a page":                   {"", "<!doctype html><p>a</p>", "a", ""},
		"no kind, a text":                   {"", "a text", "a text", ""},
		"a picture":                         {"image/png", "\x89PNG", "", core.CodeUnsupportedFile},
		"a drawing":                         {"image/svg+xml", "<svg/>", "", core.CodeUnsupportedFile},
		"a program":                         {"application/octet-stream", "MZ\x00", "", core.CodeUnsupportedFile},
		"binary that says it is text":       {"text/html", "a\x00b", "", core.CodeUnsupportedFile},
		"UTF-8 with a mark":                 {"text/plain; charset=iso-8859-1", "\xef\xbb\xbfé", "é", ""},
		"UTF-8 that is broken":              {"text/plain; charset=utf-8", "a\xffb", "a\ufffdb", ""},
		"Latin-1":                           {"text/plain; charset=ISO-8859-1", "caf\xe9", "café", ""},
		"Windows":                           {"text/plain; charset=windows-1252", "\x93a\x94 \x80", "“a” €", ""},
		"Latin-1 by name, UTF-8 by content": {"text/plain; charset=iso-8859-1", "café", "café", ""},
		"named by the page":                 {"text/html", `<meta charset="windows-1252"><p>caf` + "\xe9", "café", ""},
		"UTF-16 with a mark":                {"text/plain", "\xff\xfea\x00b\x00", "ab", ""},
		"UTF-16 by name":                    {"text/plain; charset=utf-16be", "\x00a\x00b", "ab", ""},
		"half a character of UTF-16":        {"text/plain; charset=utf-16le", "a\x00b", "a", ""},
		"an unknown set":                    {"text/plain; charset=shift_jis", "\x82\xa0", "", core.CodeUnsupportedFile},
		"an unknown set for plain letters":  {"text/plain; charset=shift_jis", "abc", "abc", ""},
		"an empty charset":                  {"text/plain; charset=\"\"", "abc", "abc", ""},
		"nothing":                           {"text/html", "", "", ""},
	} {
		page, err := read(t, saying(c.kind, c.content))
		if page.Text != c.want || core.CodeOf(err) != c.code {
			t.Errorf("%s: got %q, %v, want %q, %q", name, page.Text, err, c.want, c.code)
		}
	}
}

func TestAHugePageIsCut(t *testing.T) {
	long := strings.Repeat("é words ", 1<<20)
	page, err := read(t, saying("text/plain", long))
	if err != nil || !page.Cut || len(page.Text) > 2<<20+3 {
		t.Errorf("got %d bytes, cut %v, %v, want 2 MiB", len(page.Text), page.Cut, err)
	}
	// A compressed answer counts with what it unpacks to. The memory adapter does not unpack, so
	// it is refused as binary at the latest.
	var small bytes.Buffer
	packer := gzip.NewWriter(&small)
	_, _ = packer.Write(bytes.Repeat([]byte("a"), 16<<20))
	_ = packer.Close()
	page, err = read(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(small.Bytes())
	}))
	if len(page.Text) > 2<<20+3 {
		t.Errorf("got %d bytes, %v, want at most 2 MiB", len(page.Text), err)
	}
}

func TestRedirectsLeadNowhereInward(t *testing.T) {
	guard := memory.NewGuard().
		Handle("a.example.com", leading("https://b.example.com/y")).Handle("b.example.com", saying("text/plain", "there")).
		Handle("inward.example.com", leading("http://169.254.169.254/latest/meta-data")).
		Handle("local.example.com", leading("http://127.0.0.1:8080/")).
		Handle("file.example.com", leading("file:///etc/passwd")).
		Handle("none.example.com", leading("")).
		Handle("loop.example.com", leading("https://loop.example.com/again")).
		Handle("private.example.com", saying("text/plain", "secret")).Resolve("private.example.com", netip.MustParseAddr("10.0.0.7"))
	reader := newReader(guard)
	if page, err := reader.Read(t.Context(), "https://a.example.com/", anywhere); err != nil || page.Address != "https://b.example.com/y" || page.Text != "there" || !reader.IsOpen() {
		t.Errorf("got %+v, %v, want the page behind the redirect", page, err)
	}
	for address, want := range map[string]core.Code{
		"https://inward.example.com/":                        core.CodeForbiddenAddress,
		"https://local.example.com/":                         core.CodeForbiddenAddress,
		"https://file.example.com/":                          core.CodeForbiddenAddress,
		"https://private.example.com/":                       core.CodeForbiddenAddress,
		"https://none.example.com/":                          core.CodeValidationFailed,
		"https://loop.example.com/":                          core.CodeValidationFailed,
		"http://127.0.0.1/":                                  core.CodeForbiddenAddress,
		"https://u:p@a.example.com/":                         core.CodeForbiddenAddress,
		"https://nobody.example.com/":                        core.CodeValidationFailed,
		"nonsense":                                           core.CodeForbiddenAddress,
		"https://a.example.com/" + strings.Repeat("x", 2048): core.CodeValidationFailed,
	} {
		if page, err := reader.Read(t.Context(), address, anywhere); core.CodeOf(err) != want && !(address == "nonsense" && core.IsCode(err, core.CodeValidationFailed)) || page.Text != "" {
			t.Errorf("%.60s: got %q, %v, want %s", address, page.Text, err, want)
		}
	}
	for _, status := range []int{http.StatusNotFound, http.StatusInternalServerError, http.StatusNoContent} {
		_, err := read(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		if !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("status %d: got %v, want a refusal", status, err)
		}
	}
}

func TestASlowPageIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hangs := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		_, err := read(t, hangs)
		if !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), "20s") {
			t.Errorf("got %v, want the page given up after 20 s", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = newReader(memory.NewGuard().Handle("a.example.com", hangs)).Read(ctx, "https://a.example.com/", anywhere)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the caller's end", err)
		}
	})
}

func TestTheRuleIsAskedAtEveryHop(t *testing.T) {
	var reached []string
	at := func(name string, handler http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			reached = append(reached, name)
			handler.ServeHTTP(w, r)
		})
	}
	reader := newReader(memory.NewGuard().
		Handle("a.example.com", at("a", leading("https://b.example.com/"))).
		Handle("b.example.com", at("b", leading("https://c.example.com/?d=secret"))).
		Handle("c.example.com", at("c", saying("text/plain", "there"))))
	var asked []string
	page, err := reader.Read(t.Context(), "https://a.example.com/", func(address string) error {
		if asked = append(asked, address); strings.Contains(address, "//c.") {
			return core.Errorf(core.CodeForbidden, "not c")
		}
		return nil
	})
	if !core.IsCode(err, core.CodeForbidden) || !strings.Contains(err.Error(), "redirects to another address") || !strings.Contains(err.Error(), "not c") || page.Text != "" {
		t.Errorf("got %+v, %v, want the rule's refusal of the redirect", page, err)
	}
	if strings.Join(reached, "") != "ab" || len(asked) != 3 {
		t.Errorf("got %v reached, %v asked, want each hop asked before it is reached", reached, asked)
	}
	if _, err := reader.Read(t.Context(), "https://c.example.com/", func(string) error { return core.Errorf(core.CodeForbidden, "none") }); !core.IsCode(err, core.CodeForbidden) || len(reached) != 2 {
		t.Errorf("got %v, %v reached, want the first address asked as well", err, reached)
	}
}
