package httpapi

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
)

func failing(err error) rest.Handler {
	return func(http.ResponseWriter, *rest.Request) error { return err }
}

func TestErrorsAreRenderedByTheirCode(t *testing.T) {
	limited := core.Errorf(core.CodeRateLimited, "slow down")
	limited.RetryAfter = 1500 * time.Millisecond
	broken := core.Errorf(core.CodeBuildFailed, "the build failed")
	broken.Diagnostics = []core.Diagnostic{{Path: "a.ts", Line: 1, Column: 2, Message: "no"}}
	leaky := core.Errorf(core.CodeConflict, "in use")
	leaky.Diagnostics = broken.Diagnostics
	for _, c := range []struct {
		err    error
		status int
		body   string
	}{
		{core.Errorf(core.CodeSlugTaken, "taken <b>"), 409, `{"error":"slug_taken","message":"taken \u003cb\u003e"}`},
		{core.Wrap(core.CodeUnavailable, errors.New("secret"), "the database does not answer"), 503, `{"error":"unavailable","message":"the database does not answer"}`},
		{limited, 429, `{"error":"rate_limited","message":"slow down"}`},
		{broken, 422, `{"error":"build_failed","message":"the build failed","diagnostics":[{"path":"a.ts","line":1,"column":2,"message":"no"}]}`},
		{leaky, 409, `{"error":"conflict","message":"in use"}`},
		{context.DeadlineExceeded, 503, `{"error":"unavailable","message":"the request took too long: try again"}`},
		{errors.New("secret"), 500, `{"error":"internal","message":"internal error (request r1)"}`},
		{core.Wrap(core.CodeInternal, errors.New("secret"), "secret"), 500, `{"error":"internal","message":"internal error (request r1)"}`},
		{core.Errorf(core.CodeInterrupted, "secret"), 500, `{"error":"internal","message":"internal error (request r1)"}`},
		{core.Errorf("made_up", "secret"), 500, `{"error":"internal","message":"internal error (request r1)"}`},
	} {
		api := newTable(t, []rest.Route{rest.Open("GET", "/fail", failing(c.err))})
		got := api.do("GET", "/fail", "", header("X-Request-Id", "r1"))
		if got.StatusCode != c.status || strings.TrimSpace(got.body) != c.body || got.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%v: got %d %s %s, want %d %s", c.err, got.StatusCode, got.Header.Get("Content-Type"), got.body, c.status, c.body)
		}
		if logged := strings.Contains(api.log.String(), "secret"); logged != strings.Contains(c.err.Error(), "secret") {
			t.Errorf("%v: got it in the log %v, want the cause of failures there", c.err, logged)
		}
		if retry := got.Header.Get("Retry-After"); (retry == "2") != (c.status == 429) {
			t.Errorf("%v: got Retry-After %q, want 2 beside 429", c.err, retry)
		}
	}
}

func TestPanicsAreInternalErrors(t *testing.T) {
	api := newTable(t, []rest.Route{
		rest.Open("GET", "/panic", func(http.ResponseWriter, *rest.Request) error { panic("secret") }),
		rest.Open("GET", "/index", func(http.ResponseWriter, *rest.Request) error { var none []int; none[len(none)]++; return nil }),
	})
	for _, path := range []string{"/panic", "/index"} {
		got := api.do("GET", path, "")
		got.want(t, path, http.StatusInternalServerError, "internal")
		if strings.Contains(got.body, "secret") || strings.Contains(got.body, "goroutine") {
			t.Errorf("%s: got %s, want nothing of the panic", path, got.body)
		}
	}
	if log := api.log.String(); !strings.Contains(log, "panic: secret") || !strings.Contains(log, "observe_test.go") {
		t.Errorf("got the log\n%s, want the panic with its stack", log)
	}
}

func TestAnAnswerThatBreaksOffIsNotTakenForWhole(t *testing.T) {
	api := newTable(t, []rest.Route{rest.Open("GET", "/torn", func(w http.ResponseWriter, _ *rest.Request) error {
		_, _ = w.Write([]byte("half"))
		_ = http.NewResponseController(w).Flush()
		return errors.New("the disk is gone")
	})})
	response, err := http.Get(api.server.URL + "/torn")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if body, err := io.ReadAll(response.Body); err == nil {
		t.Errorf("got %q whole, want the connection cut", body)
	}
	if log := api.log.String(); !strings.Contains(log, "the disk is gone") {
		t.Errorf("got the log\n%s, want the cause", log)
	}
}

func TestRequestIDs(t *testing.T) {
	api := newAPI(t)
	for given, kept := range map[string]bool{
		"abc-123_X.y": true, strings.Repeat("a", 100): true, "": false, strings.Repeat("a", 101): false,
		"a b": false, "a=1": false, "é": false, `"quoted"`: false, "a;b": false,
	} {
		got := api.do("GET", "/healthz", "", header("X-Request-Id", given)).Header.Get("X-Request-Id")
		if (got == given) != kept || got == "" {
			t.Errorf("%q: got %q, want it kept: %v", given, got, kept)
		}
	}
	if got := api.do("GET", "/nothing", "").Header.Get("X-Request-Id"); got == "" {
		t.Error("an unknown path: got no X-Request-Id, want one")
	}
}

func TestTheAccessLogHoldsNoSecrets(t *testing.T) {
	// Not newAPI, which minds queries that no route takes.
	api := newTable(t, nil)
	session := api.signUp("ada@example.com")
	api.do("POST", "/invites/verysecret/accept", "")
	api.do("GET", "/auth/me?token=verysecret", "", bearer(session.text("accessToken")))
	api.do("GET", "/no%0Athing%20level=ERROR", "")
	log := api.log.String()
	for _, secret := range []string{"verysecret", session.text("accessToken"), session.text("refreshToken"), "correct horse"} {
		if strings.Contains(log, secret) {
			t.Errorf("got %.20s… in the log\n%s, want no secrets", secret, log)
		}
	}
	for _, want := range []string{
		"method=POST path=/invites/:token/accept route=/invites/:token/accept status=401",
		"method=GET path=/auth/me route=/auth/me status=200", "user=" + session.text("user.id"),
		`path="/no\nthing level=ERROR" route=none status=404`,
	} {
		if !strings.Contains(log, want) {
			t.Errorf("got the log\n%s, want a line with %s", log, want)
		}
	}
}

func TestEveryAnswerCarriesTheSecurityHeaders(t *testing.T) {
	for app, hsts := range map[string]string{"http://localhost:8080": "", "https://app.example.com": "max-age=31536000"} {
		api := newAPI(t, func(d *Deps) { d.Settings.AppURL = mustURL(t, app) })
		for _, path := range []string{"/healthz", "/auth/me", "/nothing"} {
			got := api.do("GET", path, "").Header
			for name, want := range map[string]string{
				"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store",
				"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'", "Cross-Origin-Resource-Policy": "same-origin",
				"Strict-Transport-Security": hsts, "Access-Control-Allow-Origin": "",
			} {
				if got.Get(name) != want {
					t.Errorf("%s %s: got %s %q, want %q", app, path, name, got.Get(name), want)
				}
			}
		}
	}
}

func TestAClientThatLeavesIsNoFailure(t *testing.T) {
	entered := make(chan struct{})
	api := newTable(t, []rest.Route{rest.Open("GET", "/slow", func(_ http.ResponseWriter, r *rest.Request) error {
		close(entered)
		<-r.Context().Done()
		return core.Wrap(core.CodeUnavailable, r.Context().Err(), "the database did not answer in time")
	})})
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, api.server.URL+"/slow", nil)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-entered
		cancel()
	}()
	if response, err := http.DefaultClient.Do(r); err == nil {
		_ = response.Body.Close()
		t.Error("got an answer, want none")
	}
	api.server.Close()
	if log := api.log.String(); !strings.Contains(log, "status=499") || strings.Contains(log, "level=ERROR") {
		t.Errorf("got the log\n%s, want status 499 and no error", log)
	}
}

func TestARequestThatAStopEndsIsNotAnsweredWithSuccess(t *testing.T) {
	entered := make(chan struct{}, 1)
	waits := func(begin func(http.ResponseWriter)) rest.Handler {
		return func(w http.ResponseWriter, r *rest.Request) error {
			begin(w)
			entered <- struct{}{}
			<-r.Context().Done()
			return r.Context().Err()
		}
	}
	api := newTable(t, []rest.Route{
		rest.Open("GET", "/silent", waits(func(w http.ResponseWriter) { w.Header().Set("ETag", `"x"`) })),
		rest.Open("GET", "/begun", waits(func(w http.ResponseWriter) {
			_, _ = io.WriteString(w, "a part")
			_ = http.NewResponseController(w).Flush()
		})),
	})
	for path, want := range map[string]int{"/silent": http.StatusServiceUnavailable, "/begun": http.StatusOK} {
		stopping, stop := context.WithCancel(t.Context())
		server := httptest.NewUnstartedServer(api.server.Config.Handler)
		server.Config.BaseContext = func(net.Listener) context.Context { return stopping }
		server.Start()
		defer server.Close()
		go func() {
			<-entered
			stop()
		}()
		response, err := http.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode != want || (err == nil) != (want >= 400) {
			t.Errorf("%s: got %d %q, %v, want %d, and a body that ends with it only when it is a failure", path, response.StatusCode, text, err, want)
		}
		if want >= 400 && (!strings.Contains(string(text), `"unavailable"`) || response.Header.Get("ETag") != "") {
			t.Errorf("%s: got %q with the tag %q, want the failure alone", path, text, response.Header.Get("ETag"))
		}
	}
}

func TestTheLogIsAboutPeople(t *testing.T) {
	for _, c := range []struct {
		path          string
		status, lines int
	}{
		{"/healthz", http.StatusOK, 0},
		{"/readyz", http.StatusServiceUnavailable, 1},
		{"/page", http.StatusOK, 1},
	} {
		api := newTable(t, []rest.Route{rest.Open("GET", c.path, func(w http.ResponseWriter, _ *rest.Request) error {
			w.WriteHeader(c.status)
			return nil
		})})
		api.do("GET", c.path, "")
		if got := strings.Count(api.log.String(), "msg=request"); got != c.lines {
			t.Errorf("%s: got %d lines in the log, want %d\n%s", c.path, got, c.lines, api.log)
		}
	}
}
