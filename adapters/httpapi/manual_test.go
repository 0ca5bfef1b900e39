package httpapi

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/httpapi/manual"
	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
)

func TestTheDescriptionIsServed(t *testing.T) {
	api := newAPI(t, func(d *Deps) { d.Settings.Version = "v9.8.7" })
	for target, kind := range map[string]string{"/openapi.json": "application/json", "/docs": "text/html; charset=utf-8", "/sdk.ts": "text/typescript; charset=utf-8"} {
		got := api.do("GET", target, "")
		got.want(t, target, http.StatusOK, "")
		for name, want := range map[string]string{"Content-Type": kind, "Cache-Control": "public, no-cache", "Vary": "", "X-Content-Type-Options": "nosniff"} {
			if value := got.Header.Get(name); value != want {
				t.Errorf("%s: got %s %q, want %q", target, name, value, want)
			}
		}
		if !strings.Contains(got.body, "v9.8.7") || got.ContentLength != int64(len(got.body)) {
			t.Errorf("%s: got %d of %d bytes, %.100s, want the service's version", target, len(got.body), got.ContentLength, got.body)
		}
		wantKnown(t, api, target, got)
	}
	var document struct {
		OpenAPI string
		Info    struct{ Version string }
	}
	if err := json.Unmarshal([]byte(api.do("GET", "/openapi.json", "").body), &document); err != nil || document.Info.Version != "v9.8.7" {
		t.Errorf("got %+v, %v, want the service's version", document, err)
	}
}

// wantKnown wants 304 for clients that have the answer, and the whole answer for others,
// whatever range or condition they request.
func wantKnown(t *testing.T, api *api, target string, first answer) {
	t.Helper()
	tag := first.Header.Get("ETag")
	for name, c := range map[string]struct {
		header requestOption
		status int
	}{
		"the tag":             {header("If-None-Match", tag), http.StatusNotModified},
		"the tag, weakly":     {header("If-None-Match", "W/"+tag), http.StatusNotModified},
		"the tag among some":  {header("If-None-Match", `"a", `+tag), http.StatusNotModified},
		"any tag":             {header("If-None-Match", "*"), http.StatusNotModified},
		"another tag":         {header("If-None-Match", `"a"`), http.StatusOK},
		"no tag":              {header("If-None-Match", "a"), http.StatusOK},
		"a part":              {header("Range", "bytes=0-1"), http.StatusOK},
		"no such part":        {header("Range", "bytes=999999999-"), http.StatusOK},
		"a failing condition": {header("If-Match", `"a"`), http.StatusOK},
	} {
		got := api.do("GET", target, "", c.header)
		if got.StatusCode != c.status || got.Header.Get("ETag") != tag || (got.body == "") != (c.status == http.StatusNotModified) {
			t.Errorf("%s with %s: got %d with %d bytes and the tag %s, want %d and %s", target, name, got.StatusCode, len(got.body), got.Header.Get("ETag"), c.status, tag)
		}
	}
	if got := api.do("HEAD", target, ""); got.StatusCode != http.StatusOK || got.body != "" || got.ContentLength != first.ContentLength {
		t.Errorf("HEAD %s: got %d with %d bytes of %d, want the headers of GET", target, got.StatusCode, len(got.body), got.ContentLength)
	}
}

// TestVersionsHaveTagsOfTheirOwn keeps a browser from showing an older service.
func TestVersionsHaveTagsOfTheirOwn(t *testing.T) {
	first, second := manual.New(openapiYAML, "1", ""), manual.New(openapiYAML, "2", "")
	for name, forms := range map[string][2]func() (manual.StaticPage, error){"document": {first.Document, second.Document}, "page": {first.Page, second.Page}} {
		one, err := forms[0]()
		if err != nil {
			t.Fatal(err)
		}
		if other, err := forms[1](); err != nil || one.Tag == other.Tag {
			t.Errorf("%s: got the tag %s twice, %v", name, one.Tag, err)
		}
	}
}

// TestThePageRunsNothing checks the page against its policy: one style, whose hash the
// policy names, and nothing that a browser would fetch or run.
func TestThePageRunsNothing(t *testing.T) {
	got := newAPI(t).do("GET", "/docs", "")
	styles := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindAllStringSubmatch(got.body, -1)
	if len(styles) != 1 {
		t.Fatalf("got %d styles, want the one that the policy lets through", len(styles))
	}
	sum := sha256.Sum256([]byte(styles[0][1]))
	want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"
	if policy := got.Header.Get("Content-Security-Policy"); policy != want {
		t.Errorf("got the policy %q, want %q", policy, want)
	}
	if found := regexp.MustCompile(`(?i)<(script|img|link|iframe|form|object|embed)\b|style=|\son\w+=|javascript:|https?://`).FindString(got.body); found != "" {
		t.Errorf("got %q in the page, want nothing that is fetched or run", found)
	}
}

func TestThePageShowsTheWholeDocument(t *testing.T) {
	document := described(t, openapiYAML)
	body := newAPI(t).do("GET", "/docs", "").body
	eachOperation(document, func(method, pattern string, _, operation manual.Part) {
		if id := operation.At("operationId").Text(); strings.Count(body, `<article id="`+id+`">`) != 1 {
			t.Errorf("%s %s: got no article for %s, or two", method, pattern, id)
		}
	})
	for name := range document.At("components", "schemas").Members() {
		if strings.Count(body, `<article id="schema-`+name+`">`) != 1 {
			t.Errorf("got no article for the schema %s, or two", name)
		}
	}
	for _, link := range regexp.MustCompile(`href="#([^"]*)"`).FindAllStringSubmatch(body, -1) {
		if !strings.Contains(body, `id="`+link[1]+`"`) {
			t.Errorf("got a link to #%s, which is not there", link[1])
		}
	}
}

func TestAnswersThatCannotBeMadeAreInternalErrors(t *testing.T) {
	broken := func() (manual.StaticPage, error) { return manual.StaticPage{}, core.Errorf(core.CodeInternal, "no") }
	api := newTable(t, []rest.Route{rest.Open("GET", "/projects/broken", manual.Serve(broken))})
	api.do("GET", "/projects/broken", "").want(t, "a document that cannot be made", http.StatusInternalServerError, "internal")
}
