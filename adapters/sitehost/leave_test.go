package sitehost_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/adapters/sitehost"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends/signins"
	"github.com/atelierhq/atelier/ports/backend"
)

// call is a request that reached the data of a project.
type call struct {
	project      core.ID
	env          core.DataEnv
	method, path string
	query        url.Values
	body         string
	length       int64
}

// callee is a sitehost.Data that offers one provider and records the rest.
type callee struct{ calls []call }

// Serve implements sitehost.Data.
func (c *callee) Serve(w http.ResponseWriter, r *http.Request, at backend.Place) {
	if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/auth-methods") {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"mfa":{"duration":12345678901234567890},"oauth2":{"providers":[{"name":"oidc","authURL":"https://id.example/auth?tenant=a%26b&client_id=shop&redirect_uri=","authUrl":"https://id.example/auth?client_id=shop&redirect_uri="}]}}`)
		return
	}
	body, _ := io.ReadAll(r.Body)
	c.calls = append(c.calls, call{at.Project, at.Env, r.Method, r.URL.Path, r.URL.Query(), string(body), r.ContentLength})
	if r.URL.Query().Get("state") == "gone" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusOK)
}

// lounge is a preview whose users sign in with a provider.
type lounge struct {
	*studio
	*callee
	handler *sitehost.Handler
	returns *signins.Returns
	host    string
	now     time.Time
}

func newLounge(t *testing.T) *lounge {
	s := newStudio(t)
	app := &url.URL{Scheme: "https", Host: "studio.test"}
	l := &lounge{studio: s, callee: &callee{}, host: s.previewHost(), now: time.Now()}
	l.returns = signins.NewReturns(memory.NewSealer(), app, func() time.Time { return l.now })
	l.handler = sitehost.New(sitehost.Deps{
		Sites: s.finder, Files: s.sites, Previews: s.preview, Data: l.callee, Returns: l.returns, Log: slog.New(slog.DiscardHandler),
	}, sitehost.Settings{AppURL: app, AppDomain: "sites.test", PreviewDomain: "preview.sites.test"})
	t.Cleanup(l.handler.Close)
	return l
}

// do sends a request to a URL.
func (l *lounge) do(method, address, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, address, strings.NewReader(body))
	recorder := httptest.NewRecorder()
	found := l.handler.Find(r)
	if found == nil {
		recorder.WriteHeader(http.StatusTeapot) // the API's
		return recorder
	}
	found.ServeHTTP(recorder, r)
	return recorder
}

// offered is the address of the provider that a page gets.
func (l *lounge) offered() string {
	l.t.Helper()
	got := l.do(http.MethodGet, "https://"+l.host+"/_data/api/collections/users/auth-methods", "")
	var methods struct {
		OAuth2 struct{ Providers []map[string]any }
	}
	if err := json.Unmarshal(got.Body.Bytes(), &methods); err != nil || got.Code != http.StatusOK || len(methods.OAuth2.Providers) != 1 {
		l.t.Fatalf("got %d %s, %v", got.Code, got.Body, err)
	}
	if !strings.Contains(got.Body.String(), "12345678901234567890") || strings.Contains(got.Body.String(), `"https://id.example`) {
		l.t.Errorf("got %s, want all else as it was", got.Body)
	}
	return methods.OAuth2.Providers[0]["authURL"].(string)
}

// leaveFor follows the address with what a page adds.
func (l *lounge) leaveFor(state, redirect string) (*httptest.ResponseRecorder, *url.URL) {
	l.t.Helper()
	got := l.do(http.MethodGet, l.offered()+url.QueryEscape(redirect)+"&state="+url.QueryEscape(state), "")
	at, err := url.Parse(got.Header().Get("Location"))
	l.must(err)
	return got, at
}

// own is where PocketBase's client on the preview expects browsers.
func (l *lounge) own() string { return "https://" + l.host + "/_data/api/oauth2-redirect" }

// leave returns the state with which a browser arrives at a provider.
func (l *lounge) leave(state string) string {
	l.t.Helper()
	_, at := l.leaveFor(state, l.own())
	return at.Query().Get("state")
}

// back returns to a project's address.
func (l *lounge) back(project core.ID, query url.Values) *httptest.ResponseRecorder {
	return l.do(http.MethodGet, l.returns.Address(project)+"?"+query.Encode(), "")
}

// TestACodeIsExchangedAsAForm: the provider learns the address at which the code arrived, however the
// page sends it.
func TestACodeIsExchangedAsAForm(t *testing.T) {
	l := newLounge(t)
	own, lasting := l.own(), l.returns.Address(l.project)
	form := url.Values{"redirectURL": {own}, "code": {"a+b"}}.Encode()
	parts := func(name, value string) string {
		return strings.ReplaceAll("--edge\nContent-Disposition: form-data; name=\"redirectURL\"; filename=\"a.txt\"\n\n"+own+"\n--edge\nContent-Disposition: form-data; name=\""+name+"\"\n\n"+value+"\n--edge--\n", "\n", "\r\n")
	}
	for kind, bodies := range map[string][2]string{
		"application/x-www-form-urlencoded; charset=utf-8": {form, strings.ReplaceAll(form, url.QueryEscape(own), url.QueryEscape(lasting))},
		"multipart/form-data; boundary=edge":               {parts("redirectUrl", own), parts("redirectUrl", lasting)},
		"multipart/form-data; boundary=\"edge\"":           {parts("@jsonPayload", `{"redirectURL":"`+own+`"}`), parts("@jsonPayload", `{"redirectURL":"`+lasting+`"}`)},
		"multipart/form-data":                              {"--edge", "--edge"},
		"application/json":                                 {`{"redirectURL":"` + own + `"}`, `{"redirectURL":"` + lasting + `"}`},
		"application/x-www-form-urlencoded":                {"redirectURL=https%3A%2F%2Felsewhere.example%2F_data%2Fapi%2Foauth2-redirect", "redirectURL=https%3A%2F%2Felsewhere.example%2F_data%2Fapi%2Foauth2-redirect"},
	} {
		l.calls = nil
		r := httptest.NewRequest(http.MethodPost, "https://"+l.host+"/_data/api/collections/users/auth-with-oauth2", strings.NewReader(bodies[0]))
		r.Header.Set("Content-Type", kind)
		l.handler.Find(r).ServeHTTP(httptest.NewRecorder(), r)
		if len(l.calls) != 1 || l.calls[0].body != bodies[1] || l.calls[0].length != int64(len(bodies[1])) {
			t.Errorf("%s: got %+v, want %q", kind, l.calls, bodies[1])
		}
	}
}

func TestSignInsOfPreviewsReturnToOneAddress(t *testing.T) {
	l := newLounge(t)
	got, at := l.leaveFor("window", l.own())
	query := at.Query()
	if got.Code != http.StatusSeeOther || at.Host != "id.example" || at.Path != "/auth" || query.Get("client_id") != "shop" || query.Get("tenant") != "a&b" || len(query) != 4 {
		t.Errorf("got %d %s, want the provider", got.Code, at)
	}
	if query.Get("redirect_uri") != l.returns.Address(l.project) || strings.Contains(at.String(), l.host) || got.Header().Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("got %s %v, want nothing about the preview's host", at, got.Header())
	}
	back := l.back(l.project, url.Values{"state": {query.Get("state")}, "code": {"a code"}})
	if back.Code != http.StatusOK || !strings.Contains(back.Body.String(), "You are signed in") || back.Header().Get("Location") != "" || strings.Contains(back.Body.String(), l.host) {
		t.Errorf("got %d %v %s, want a page", back.Code, back.Header(), back.Body)
	}
	if header := back.Header(); header.Get("Referrer-Policy") != "no-referrer" || header.Get("Cache-Control") != "no-store" || !strings.Contains(strings.Join(header["Content-Security-Policy"], ";"), "frame-ancestors 'none'") {
		t.Errorf("got %v, want the code kept", header)
	}
	if !strings.Contains(back.Body.String(), "<script>close()</script>") || strings.Contains(l.back(l.project, url.Values{"state": {"forged"}}).Body.String(), "close()") {
		t.Errorf("got %s, want a window that closes where the sign-in worked", back.Body)
	}
	if len(l.calls) != 1 || l.calls[0].project != l.project || l.calls[0].env != core.DataTest || l.calls[0].path != signins.RedirectPath || l.calls[0].query.Encode() != "code=a+code&state=window" {
		t.Errorf("got %+v, want the window's own state", l.calls)
	}
	// Apple's page sends a form.
	form := url.Values{"state": {query.Get("state")}, "code": {"c"}, "user": {`{"name":{}}`}}.Encode()
	if back := l.do(http.MethodPost, l.returns.Address(l.project)+"?state=x", form); back.Code != http.StatusOK {
		t.Errorf("got %d %s for a form", back.Code, back.Body)
	}
	if last := l.calls[len(l.calls)-1]; last.method != http.MethodPost || last.body != "code=c&state=window&user=%7B%22name%22%3A%7B%7D%7D" || last.length != int64(len(last.body)) || len(last.query) != 0 {
		t.Errorf("got %+v, want the form", last)
	}
}

// TestOnlyWhoLeftAPreviewComesBack: a code reaches the project that the address names, if a browser
// has just left one of its previews.
func TestOnlyWhoLeftAPreviewComesBack(t *testing.T) {
	l := newLounge(t)
	sealed := l.leave("window")
	target, err := l.returns.SealTarget(l.project, "window")
	l.must(err)
	for name, back := range map[string]*httptest.ResponseRecorder{
		"a missing state":       l.back(l.project, url.Values{"code": {"c"}}),
		"a window's own state":  l.back(l.project, url.Values{"code": {"c"}, "state": {"window"}}),
		"a state of a target":   l.back(l.project, url.Values{"code": {"c"}, "state": {target}}),
		"a changed state":       l.back(l.project, url.Values{"code": {"c"}, "state": {"A" + sealed}}),
		"a foreign project":     l.back(core.NewID(), url.Values{"code": {"c"}, "state": {sealed}}),
		"a form without a body": l.do(http.MethodPost, l.returns.Address(l.project)+"?code=c&state="+sealed, ""),
		"a long form":           l.do(http.MethodPost, l.returns.Address(l.project), "state="+sealed+"&code="+strings.Repeat("c", 64<<10)),
		"a broken form":         l.do(http.MethodPost, l.returns.Address(l.project), "state="+sealed+"&code=%zz"),
		"another method":        l.do(http.MethodPut, l.returns.Address(l.project)+"?code=c&state="+sealed, ""),
	} {
		if back.Code < 400 || back.Code >= 500 || back.Header().Get("Location") != "" || strings.Contains(back.Body.String(), l.host) {
			t.Errorf("%s: got %d %v, want it refused", name, back.Code, back.Header())
		}
	}
	if len(l.calls) != 0 {
		t.Errorf("got %+v, want no call", l.calls)
	}
	// A window that has its code, or went away, gets nothing.
	if back := l.back(l.project, url.Values{"code": {"c"}, "state": {l.leave("gone")}}); back.Code != http.StatusBadRequest {
		t.Errorf("got %d for a state that was used, want 400", back.Code)
	}
	l.now = l.now.Add(time.Hour)
	if back := l.back(l.project, url.Values{"code": {"c"}, "state": {sealed}}); back.Code != http.StatusBadRequest || len(l.calls) != 1 {
		t.Errorf("got %d after an hour, want 400", back.Code)
	}
	// Nothing else of the API's host is answered, and the address is on no other host.
	for _, path := range []string{"/", "/sign-ins/", "/sign-ins/x/oauth2-redirect", "/sign-ins/" + string(l.project), "/_data/api/oauth2-redirect"} {
		if got := l.do(http.MethodGet, "https://studio.test"+path, ""); got.Code != http.StatusTeapot {
			t.Errorf("%s: got %d, want the API's answer", path, got.Code)
		}
	}
	path := strings.TrimPrefix(l.returns.Address(l.project), "https://studio.test") + "?code=c&state=" + l.leave("window")
	for _, host := range []string{l.host, "shop.sites.test"} {
		if got := l.do(http.MethodGet, "https://"+host+path, ""); strings.Contains(got.Body.String(), "signed in") || len(l.calls) != 1 {
			t.Errorf("%s: got %d %s, want nobody signed in", host, got.Code, got.Body)
		}
	}
}

// TestAPreviewLeadsToProvidersOnly: its address for leaving is no open redirect.
func TestAPreviewLeadsToProvidersOnly(t *testing.T) {
	l := newLounge(t)
	foreign, err := l.returns.SealTarget(core.NewID(), "https://evil.example/")
	l.must(err)
	state, err := l.returns.SealState(l.project, "https://evil.example/")
	l.must(err)
	for _, target := range []string{"", "https://evil.example/", "aHR0cHM6Ly9ldmlsLmV4YW1wbGUv", foreign, state} {
		got := l.do(http.MethodGet, "https://"+l.host+"/_data/oauth2-leave?atelier_target="+url.QueryEscape(target)+"&state=s&redirect_uri="+url.QueryEscape(l.own()), "")
		if got.Code != http.StatusBadRequest || got.Header().Get("Location") != "" {
			t.Errorf("%q: got %d %v, want it refused", target, got.Code, got.Header())
		}
	}
	for _, state := range []string{"", strings.Repeat("s", 201)} {
		if got, _ := l.leaveFor(state, l.own()); got.Code != http.StatusBadRequest {
			t.Errorf("got %d for a state of %d bytes, want 400", got.Code, len(state))
		}
	}
	// A page that handles the return itself says where.
	for _, redirect := range []string{"https://" + l.host + "/back.html", "https://evil.example/_data/api/oauth2-redirect", "https://" + l.host + ".evil.example/_data/api/oauth2-redirect", "app://back"} {
		if got, at := l.leaveFor("kept", redirect); got.Code != http.StatusSeeOther || at.Query().Get("redirect_uri") != redirect || at.Query().Get("state") != "kept" {
			t.Errorf("got %d %s, want %s", got.Code, at, redirect)
		}
	}
	if got := l.do(http.MethodPost, "https://"+l.host+"/_data/oauth2-leave", ""); got.Code != http.StatusMethodNotAllowed {
		t.Errorf("got %d for POST, want 405", got.Code)
	}
	if len(l.calls) != 0 {
		t.Errorf("got %+v, want no call", l.calls)
	}
}

// TestAProviderIsToldWhereTheCodeArrived: it compares the address with the one it sent the browser to.
func TestAProviderIsToldWhereTheCodeArrived(t *testing.T) {
	l := newLounge(t)
	exchange := func(body string) string {
		t.Helper()
		l.calls = nil
		if got := l.do(http.MethodPost, "https://"+l.host+"/_data/api/collections/users/auth-with-oauth2", body); got.Code != http.StatusOK {
			t.Fatalf("got %d %s", got.Code, got.Body)
		}
		if l.calls[0].length != int64(len(l.calls[0].body)) {
			t.Errorf("got %+v, want the body's length", l.calls[0])
		}
		return l.calls[0].body
	}
	for _, name := range []string{"redirectURL", "redirectUrl"} {
		want := `{"code":"c","createData":{"n":12345678901234567890},"` + name + `":"` + l.returns.Address(l.project) + `"}`
		if got := exchange(`{"code":"c","createData":{"n":12345678901234567890},"` + name + `":"` + l.own() + `"}`); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for _, body := range []string{"", "{", "[]", "redirectURL=" + l.own(), `{"redirectURL":1}`, `{"redirectURL":"https://` + l.host + `/back.html", "code":"c"}`, `{"redirectURL":"https://evil.example/_data/api/oauth2-redirect"}`} {
		if got := exchange(body); got != body {
			t.Errorf("got %s, want %s", got, body)
		}
	}
	if got := l.do(http.MethodPost, "https://"+l.host+"/_data/collections/users/auth-with-oauth2", strings.Repeat(" ", 1<<20+1)); got.Code != http.StatusBadRequest {
		t.Errorf("got %d for a long body, want 400", got.Code)
	}
}
