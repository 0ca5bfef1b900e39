package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/client"
)

const projectID = "01a218f0-ba9f-7abd-b3f5-1a6393286ef7"

// service answers calls by their method and path, and remembers them.
type service struct {
	*httptest.Server
	mu    sync.Mutex
	calls []string
}

func serve(t testing.TB, answers map[string]http.HandlerFunc) *service {
	t.Helper()
	s := &service{}
	text := func(body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) }
	}
	for path, body := range map[string]string{
		"GET /projects/" + projectID:            `{"id":"` + projectID + `","slug":"page"}`,
		"GET /projects/" + projectID + "/chats": `{"items":[{"id":"c1","title":"Chat","isDefault":true}]}`,
	} {
		if answers[path] == nil {
			answers[path] = text(body)
		}
	}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		call := r.Method + " " + r.URL.Path
		s.mu.Lock()
		s.calls = append(s.calls, r.Method+" "+r.URL.RequestURI())
		s.mu.Unlock()
		answer := answers[call]
		if answer == nil {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error":"not_found","message":"there is nothing"}`)
			return
		}
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// was reports whether a call was made.
func (s *service) was(call string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.calls, call)
}

// run calls the client with an API token, as a script does.
func (s *service) run(ctx context.Context, t testing.TB, args ...string) (code int, out, errs string) {
	t.Helper()
	var output bytes.Buffer
	code, errs = s.runInto(ctx, t, &output, args...)
	return code, output.String(), errs
}

func (s *service) runInto(ctx context.Context, t testing.TB, output io.Writer, args ...string) (code int, errs string) {
	t.Helper()
	var failures bytes.Buffer
	env := map[string]string{"HOME": t.TempDir(), "ATELIER_URL": s.URL, "ATELIER_TOKEN": "atl_x"}
	err := client.Run(ctx, client.Program{In: strings.NewReader(""), Out: output, Errs: &failures, Env: func(name string) string { return env[name] }}, args)
	var exit *client.Exit
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("got %v, want an exit code", err)
	}
	if exit != nil {
		code = exit.Code
	}
	return code, failures.String()
}

// stream answers with events, and then breaks the connection or waits for the client to go.
func stream(ending string, events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for _, event := range events {
			fmt.Fprintf(w, "data: %s\n\n", event)
		}
		_ = http.NewResponseController(w).Flush()
		switch ending {
		case "break":
			panic(http.ErrAbortHandler)
		case "wait":
			<-r.Context().Done()
		}
	}
}

const (
	toldEvent  = `{"type":"user.message","seq":4,"text":"x"}`
	deltaEvent = `{"type":"assistant.message_delta","seq":5,"delta":"An \u001b[31manswer"}`
	doneEvent  = `{"type":"session.task_complete","seq":6,"reason":"done"}`
	sendPath   = "POST /chat/" + projectID + "/messages"
	streamPath = "GET /chat/" + projectID + "/stream"
)

func TestARunIsFollowedAcrossABrokenConnection(t *testing.T) {
	s := serve(t, map[string]http.HandlerFunc{
		sendPath:   stream("break", toldEvent, deltaEvent),
		streamPath: stream("", deltaEvent, doneEvent),
	})
	code, out, errs := s.run(t.Context(), t, "send", "-p", projectID, "hello")
	if code != 0 || out != "An [31manswer\n" {
		t.Errorf("got %d, %q, %q, want the answer once, and nothing that steers a terminal", code, out, errs)
	}
	if want := streamPath + "?chatId=c1&after=5"; !s.was(want) {
		t.Errorf("got the calls %q, want %q", s.calls, want)
	}
}

func TestHowARunEndsIsTheExitCode(t *testing.T) {
	for event, want := range map[string]int{
		doneEvent: 0,
		`{"type":"session.task_complete","seq":6,"reason":"limit"}`:                            7,
		`{"type":"session.error","seq":6,"error":"credit_exhausted","message":"nothing left"}`: 7,
	} {
		s := serve(t, map[string]http.HandlerFunc{sendPath: stream("", toldEvent, event)})
		if code, _, errs := s.run(t.Context(), t, "send", "-p", projectID, "hello"); code != want {
			t.Errorf("%s: got %d, %q, want %d", event, code, errs, want)
		}
	}
}

// trigger is an output that does something once it is written to.
type trigger func()

// Write implements io.Writer.
func (f trigger) Write(text []byte) (int, error) {
	f()
	return len(text), nil
}

func TestWhoInterruptsStopsTheRun(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	s := serve(t, map[string]http.HandlerFunc{
		sendPath:                            stream("wait", toldEvent),
		"POST /chat/" + projectID + "/stop": func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{}`) },
	})
	code, errs := s.runInto(ctx, t, trigger(interrupt), "send", "-p", projectID, "--json", "hello")
	if code != 130 || !strings.Contains(errs, "the run is stopped") || !s.was("POST /chat/"+projectID+"/stop") {
		t.Errorf("got %d, %q and the calls %q, want the run stopped and told", code, errs, s.calls)
	}
}

func TestNobodyWaitsForADetachedRun(t *testing.T) {
	s := serve(t, map[string]http.HandlerFunc{sendPath: stream("wait", toldEvent)})
	if code, out, errs := s.run(t.Context(), t, "send", "-p", projectID, "--no-wait", "--json", "hello"); code != 0 || out != toldEvent+"\n" {
		t.Errorf("got %d, %q, %q, want the message alone", code, out, errs)
	}
}

func TestFailuresHaveExitCodesAndSayWhatToDo(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		code   int
		says   string
	}{
		"signed out":    {401, `{"error":"unauthenticated","message":"sign in first"}`, 3, "Next: sign in: atelier login"},
		"scope":         {403, `{"error":"insufficient_scope","message":"the token lacks the scope publish"}`, 6, "scope"},
		"forbidden":     {403, `{"error":"forbidden","message":"no"}`, 6, "no"},
		"not there":     {404, `{"error":"not_found","message":"no such project"}`, 4, "no such project"},
		"slug":          {409, `{"error":"slug_taken","message":"taken"}`, 5, "taken"},
		"build":         {422, `{"error":"build_failed","message":"it does not build","diagnostics":[{"path":"a.ts","line":2,"column":3,"message":"oh"}]}`, 7, "a.ts:2:3: oh"},
		"data loss":     {409, `{"error":"data_loss","message":"loses","plan":{"id":"p1","steps":[{"text":"drops notes"}]}}`, 5, "drops notes\nNext: if that is what you want: atelier publish --accept-data-loss p1"},
		"open data":     {409, `{"error":"open_data","message":"open","findings":[{"id":"f1","text":"anybody reads"},{"id":"f2"}]}`, 5, "--accept-findings f1,f2"},
		"checks":        {409, `{"error":"checks_failed","message":"failed"}`, 7, "--ignore-checks"},
		"busy":          {503, `{"error":"unavailable","message":"later"}`, 8, "try again"},
		"a proxy":       {502, `<html>`, 8, "answers 502"},
		"another thing": {404, `<html>`, 8, "not as an installation"},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, map[string]http.HandlerFunc{"POST /projects/" + projectID + "/publish": func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.body)
			}})
			code, out, errs := s.run(t.Context(), t, "publish", projectID)
			if code != c.code || !strings.Contains(errs, c.says) || out != "" {
				t.Errorf("got %d, %q, %q, want %d and %q on stderr alone", code, out, errs, c.code, c.says)
			}
		})
	}
}

func TestCommandLinesThatMeanNothingAreTold(t *testing.T) {
	s := serve(t, map[string]http.HandlerFunc{})
	for line, says := range map[string]string{
		"publish a b":            `takes no argument "b"`,
		"publish --slugs x":      "--help",
		"publish -p a b":         "named twice",
		"create":                 "name the project",
		"env get KEY":            "atelier env set KEY",
		"env set KEY=value":      "can be read by others",
		"env set":                "use: atelier env",
		"logs x --env prod":      "test or live",
		"completion tcsh":        "bash, zsh or fish",
		"push":                   "atelier pull PROJECT",
		"login http://10.0.0.1":  "use https://",
		"whoami --server ftp://": "like https://",
	} {
		if code, _, errs := s.run(t.Context(), t, strings.Fields(line)...); code != 2 || !strings.Contains(errs, says) {
			t.Errorf("%s: got %d, %q, want 2 and %q", line, code, errs, says)
		}
	}
	for _, args := range [][]string{{"publish", "--help"}, {"env", "-h"}} {
		if code, out, errs := s.run(t.Context(), t, args...); code != 0 || !strings.Contains(out, "Usage: atelier "+args[0]) || !strings.Contains(out, "Exit codes") || errs != "" {
			t.Errorf("%v: got %d, %q, %q, want the help", args, code, out, errs)
		}
	}
}
