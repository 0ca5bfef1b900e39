package studio

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/atelierhq/atelier/core"
)

// script is a file that is worth compressing.
var script = strings.Repeat("console.log('atelier');\n", 100)

func files() fstest.MapFS {
	return fstest.MapFS{
		"index.html":          {Data: []byte("<!doctype html><html><head><title>Atelier</title></head><body></body></html>")},
		"assets/main-ABCD.js": {Data: []byte(script)},
		"theme.js":            {Data: []byte("1")},
	}
}

// request asks at the studio's own host.
func request(method, address string) *http.Request {
	r := httptest.NewRequest(method, address, nil)
	r.Host = "atelier.example"
	return r
}

func newHandler(t *testing.T) *Handler {
	t.Helper()
	config := Config{
		AppURL: &url.URL{Scheme: "https", Host: "atelier.example"}, PreviewDomain: "preview.example.net",
		OAuth: []string{`"><script>alert(1)</script>`}, Version: "v1",
	}
	h, err := New(files(), config)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func get(h http.Handler, address string, headers ...string) *httptest.ResponseRecorder {
	r := request(http.MethodGet, address)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestTheStudioHasItsOwnAddresses(t *testing.T) {
	h := newHandler(t)
	for _, address := range []string{
		"/", "/login", "/signup", "/forgot-password", "/reset-password?token=x", "/verify-email?token=x", "/dashboard", "/settings", "/settings/tokens", "/help", "/help/data",
		"/assets/main-ABCD.js", "/theme.js",
	} {
		if !h.Serves(request(http.MethodGet, address)) {
			t.Errorf("%s: got it left to the API, want it served", address)
		}
	}
	for _, address := range []string{
		"/index.html", "/nothing", "/login/", "/login/x", "//login", "/settings/a/b", "/help/a/b", "/invites", "/invites/a/accept", "/auth/me", "/docs", "/healthz",
		"/projects", "/projects/x/files", "/workspaces", "/workspaces/w/members/u", "/assets", "/assets/", "/assets/../index.html", "/git/x/info/refs",
	} {
		if h.Serves(request(http.MethodGet, address)) {
			t.Errorf("%s: got it served, want it left to the API", address)
		}
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions} {
		if h.Serves(request(method, "/login")) {
			t.Errorf("%s: got it served, want it left to the API", method)
		}
	}
}

func TestTheStudioIsAtItsOwnHostAlone(t *testing.T) {
	h := newHandler(t)
	for host, want := range map[string]bool{
		"atelier.example": true, "Atelier.Example": true, "localhost": true, "localhost:8080": true, "127.0.0.1:8080": true, "[::1]:8080": true, "192.168.0.7": true,
		"shop.example.com": false, "atelier.example.evil.com": false, "x.atelier.example": false, "atelier.example:8443": false, "localhost.evil.com": false, "": false,
	} {
		r := request(http.MethodGet, "/login")
		r.Host = host
		if got := h.Serves(r); got != want {
			t.Errorf("%q: got served %t, want %t", host, got, want)
		}
	}
}

func TestAnAddressThatTheAPIHasTooIsAPageForBrowsersAlone(t *testing.T) {
	h := newHandler(t)
	for _, address := range []string{"/projects/x", "/admin/people", "/admin/audit", "/workspaces/w", "/workspaces/w/members", "/invites/abc"} {
		for what, test := range map[string]struct {
			headers []string
			want    bool
		}{
			"a program":                            {nil, false},
			"a program that takes anything":        {[]string{"Accept", "*/*"}, false},
			"a browser that goes there":            {[]string{"Accept", "text/html,*/*;q=0.8", "Sec-Fetch-Dest", "document"}, true},
			"an old browser that goes there":       {[]string{"Accept", "text/html,*/*;q=0.8"}, true},
			"a script of a page":                   {[]string{"Accept", "text/html", "Sec-Fetch-Dest", "empty"}, false},
			"a frame":                              {[]string{"Accept", "text/html", "Sec-Fetch-Dest", "iframe"}, false},
			"a program that brings a token":        {[]string{"Accept", "text/html", "Authorization", "Bearer x"}, false},
			"a browser that wants to be told JSON": {[]string{"Accept", "application/json"}, false},
		} {
			r := request(http.MethodGet, address)
			for i := 0; i < len(test.headers); i += 2 {
				r.Header.Set(test.headers[i], test.headers[i+1])
			}
			if got := h.Serves(r); got != test.want {
				t.Errorf("%s at %s: got served %v, want %v", what, address, got, test.want)
			}
		}
	}
}

func TestAnAddressOfNobodysIsAPageForBrowsersAlone(t *testing.T) {
	h := newHandler(t)
	ask := func(method, host string, headers ...string) (*httptest.ResponseRecorder, bool) {
		r := request(method, "/nothing/here")
		r.Host = host
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		return w, h.ServeLost(w, r)
	}
	w, served := ask(http.MethodGet, "atelier.example", "Accept", "text/html,*/*;q=0.8", "Sec-Fetch-Dest", "document")
	if !served || w.Code != http.StatusNotFound || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") || !strings.Contains(w.Body.String(), "<title>Atelier") {
		t.Errorf("got served %t, %d %s, want the page with 404", served, w.Code, w.Body)
	}
	for what, test := range map[string]struct {
		method, host string
		headers      []string
	}{
		"a program":                  {http.MethodGet, "atelier.example", []string{"Accept", "application/json"}},
		"a program without a wish":   {http.MethodGet, "atelier.example", nil},
		"a program that has a token": {http.MethodGet, "atelier.example", []string{"Accept", "text/html", "Authorization", "Bearer x"}},
		"a script of a page":         {http.MethodGet, "atelier.example", []string{"Accept", "text/html", "Sec-Fetch-Dest", "empty"}},
		"a form that is sent":        {http.MethodPost, "atelier.example", []string{"Accept", "text/html", "Sec-Fetch-Dest", "document"}},
		"a host that is not its own": {http.MethodGet, "shop.example.com", []string{"Accept", "text/html", "Sec-Fetch-Dest", "document"}},
	} {
		if w, served := ask(test.method, test.host, test.headers...); served || w.Body.Len() > 0 {
			t.Errorf("%s: got the page, want it left to the API", what)
		}
	}
}

func TestThePageRunsNothingThatIsNotItsOwn(t *testing.T) {
	h := newHandler(t)
	first, second := get(h, "/dashboard"), get(h, "/dashboard")
	policy := first.Header().Get("Content-Security-Policy")
	for _, part := range []string{
		"default-src 'none'", "script-src 'self';", "connect-src 'self'", "frame-src https://*.preview.example.net;", "base-uri 'none'",
		"form-action 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types atelier-worker", "manifest-src 'self'", "worker-src 'self'",
	} {
		if !strings.Contains(policy, part) {
			t.Errorf("got the policy %q, want %q in it", policy, part)
		}
	}
	for _, part := range []string{"unsafe-inline", "unsafe-eval", "*;", "http:"} {
		if strings.Contains(strings.ReplaceAll(policy, "https://*.", ""), part) {
			t.Errorf("got the policy %q, want no %q in it", policy, part)
		}
	}
	if policy == second.Header().Get("Content-Security-Policy") {
		t.Error("got the same nonce twice, want one for each answer")
	}
	body := first.Body.String()
	nonce := policy[strings.Index(policy, "'nonce-")+len("'nonce-"):]
	nonce = nonce[:strings.Index(nonce, "'")]
	if !strings.Contains(body, "&#34;nonce&#34;:&#34;"+nonce+"&#34;") {
		t.Errorf("got the page %s, want the nonce %s in it", body, nonce)
	}
	if strings.Contains(body, "<script>alert") || !strings.Contains(body, `<meta name="atelier"`) {
		t.Errorf("got the page %s, want its settings escaped", body)
	}
	if got := first.Header().Get("Cache-Control"); got != "no-store" {
		t.Errorf("got Cache-Control %q, want no-store", got)
	}
}

func TestAssetsComeCompressedAndStay(t *testing.T) {
	h := newHandler(t)
	for accepted, want := range map[string]string{"": "", "br, gzip": "br", "gzip": "gzip", "br;q=0, gzip": "gzip", "zstd": ""} {
		answer := get(h, "/assets/main-ABCD.js", "Accept-Encoding", accepted)
		if got := answer.Header().Get("Content-Encoding"); got != want {
			t.Errorf("Accept-Encoding %q: got %q, want %q", accepted, got, want)
		}
		if got := answer.Header().Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
			t.Errorf("got Cache-Control %q, want it kept for ever", got)
		}
		if again := get(h, "/assets/main-ABCD.js", "Accept-Encoding", accepted, "If-None-Match", answer.Header().Get("ETag")); again.Code != http.StatusNotModified {
			t.Errorf("asked again: got %d, want 304", again.Code)
		}
	}
	zipped, err := gzip.NewReader(bytes.NewReader(get(h, "/assets/main-ABCD.js", "Accept-Encoding", "gzip").Body.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if content, err := io.ReadAll(zipped); err != nil || string(content) != script {
		t.Errorf("got %d bytes, %v, want the file", len(content), err)
	}
	if got := get(h, "/theme.js", "Accept-Encoding", "br").Header(); got.Get("Cache-Control") != "no-cache" || got.Get("Content-Encoding") != "" {
		t.Errorf("got %v, want a small file as it is, asked for each time", got)
	}
}

func TestThePageKnowsWhetherASessionMayBeThere(t *testing.T) {
	h := newHandler(t)
	for cookie, want := range map[string]string{"": "&#34;session&#34;:false", "app_access_token=x": "&#34;session&#34;:true", "other=1": "&#34;session&#34;:false"} {
		if body := get(h, "/login", "Cookie", cookie).Body.String(); !strings.Contains(body, want) {
			t.Errorf("cookie %q: got the page %s, want %s in it", cookie, body, want)
		}
	}
}

func TestThePageNamesTheFontAndAllScriptsThatItBeginsWith(t *testing.T) {
	tree := fstest.MapFS{
		"index.html":  {Data: []byte(`<head><script type="module" src="/assets/a.js"></script></head>`)},
		"assets/a.js": {Data: []byte(`import{x}from"/assets/b.js";import"/assets/c.js";var y=()=>import("/assets/later.js");`)},
		"assets/b.js": {Data: []byte(`export{x}from"/assets/c.js";import"/assets/a.js";`)},
		"assets/c.js": {Data: []byte(`1`)}, "assets/later.js": {Data: []byte(`1`)},
		"assets/f.woff2": {Data: []byte(`1`)},
	}
	h, err := New(tree, Config{AppURL: &url.URL{}})
	if err != nil {
		t.Fatal(err)
	}
	body := get(h, "/").Body.String()
	want := `<link rel="preload" as="font" type="font/woff2" crossorigin href="/assets/f.woff2"><link rel="modulepreload" href="/assets/b.js"><link rel="modulepreload" href="/assets/c.js"><meta`
	if !strings.Contains(body, want) || strings.Contains(body, "later") {
		t.Errorf("got the page %s, want %s in it", body, want)
	}
	if kind := get(h, "/assets/f.woff2").Header().Get("Content-Type"); kind != "font/woff2" {
		t.Errorf("got the font as %q", kind)
	}
}

func TestAHeadHasNoBody(t *testing.T) {
	h := newHandler(t)
	for _, address := range []string{"/login", "/theme.js"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, request(http.MethodHead, address))
		if w.Code != http.StatusOK || w.Body.Len() != 0 {
			t.Errorf("%s: got %d with %d bytes, want 200 with none", address, w.Code, w.Body.Len())
		}
	}
}

func TestABuildWithoutAPageIsRefused(t *testing.T) {
	for what, tree := range map[string]fstest.MapFS{
		"nothing":     {},
		"only assets": {"assets/a.js": {Data: []byte("1")}},
		"no head":     {"index.html": {Data: []byte("<p>hello")}},
	} {
		if _, err := New(tree, Config{AppURL: &url.URL{}}); !core.IsCode(err, core.CodeInternal) {
			t.Errorf("%s: got %v, want internal", what, err)
		}
	}
}

func TestTheProgramCarriesAStudio(t *testing.T) {
	h, err := New(Built(), Config{AppURL: &url.URL{Scheme: "http", Host: "localhost"}, PreviewDomain: "preview.localhost"})
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range strings.Split(get(h, "/").Body.String(), `"`) {
		if strings.HasPrefix(part, "/assets/") || strings.HasSuffix(part, ".js") || strings.HasSuffix(part, ".svg") {
			if answer := get(h, part); answer.Code != http.StatusOK || h.assets[part] == nil {
				t.Errorf("%s: got %d, want what the page names to be there", part, answer.Code)
			}
		}
	}
}

func TestThePageKnowsANewInstallation(t *testing.T) {
	asked, settled := 0, false
	var failure error
	config := Config{AppURL: &url.URL{Scheme: "https", Host: "atelier.example"}, Settled: func(context.Context) (bool, error) {
		asked++
		return settled, failure
	}}
	h, err := New(files(), config)
	if err != nil {
		t.Fatal(err)
	}
	isFresh := func() bool { return strings.Contains(get(h, "/").Body.String(), "&#34;fresh&#34;:true") }
	if !isFresh() {
		t.Error("got an installation without users as an old one, want a new one")
	}
	failure = core.Errorf(core.CodeInternal, "the database is away")
	if isFresh() {
		t.Error("got a new installation while the database is away, want an old one")
	}
	failure, settled = nil, true
	for range 3 {
		if isFresh() {
			t.Error("got an installation with users as a new one, want an old one")
		}
	}
	if asked != 3 {
		t.Errorf("got %d questions for users, want none after the first of them", asked)
	}
}

func TestThePageLoadsTheChunkThatItWillShow(t *testing.T) {
	built := files()
	built["index.html"] = &fstest.MapFile{Data: []byte(`<html><head><script type="module" src="/assets/main-ABCD.js"></script></head></html>`)}
	built["assets/front-A.js"] = &fstest.MapFile{Data: []byte(`import{a}from"/assets/chunk-F.js";`)}
	built["assets/chunk-F.js"] = &fstest.MapFile{Data: []byte("1")}
	built["assets/dashboard-B.js"] = &fstest.MapFile{Data: []byte(`import{a}from"/assets/main-ABCD.js";`)}
	h, err := New(built, Config{AppURL: &url.URL{Scheme: "https", Host: "atelier.example"}})
	if err != nil {
		t.Fatal(err)
	}
	for what, test := range map[string]struct {
		address string
		headers []string
		want    string
	}{
		"a visitor":                  {"/", nil, "front-A chunk-F"},
		"a person who is signed in":  {"/", []string{"Cookie", "app_access_token=x"}, "dashboard-B"},
		"a person at their projects": {"/dashboard", nil, "dashboard-B"},
		"another page":               {"/login", nil, ""},
	} {
		var got []string
		for _, match := range regexp.MustCompile(`modulepreload" href="/assets/([^"]+)\.js"`).FindAllStringSubmatch(get(h, test.address, test.headers...).Body.String(), -1) {
			got = append(got, match[1])
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: got %q loaded early, want %q", what, got, test.want)
		}
	}
}
