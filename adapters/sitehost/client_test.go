package sitehost_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

// follow opens the stream of a preview's builds and returns its data lines.
func (s *studio) follow(host string) <-chan string {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	s.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.server.URL+"/@atelier/events", nil)
	s.must(err)
	req.Host = host
	resp, err := (&http.Transport{}).RoundTrip(req)
	s.must(err)
	if got := resp.Header.Get("Content-Type"); got != "text/event-stream" {
		s.t.Errorf("got %q, want an event stream", got)
	}
	lines := make(chan string, 64)
	go func() {
		defer resp.Body.Close()
		defer close(lines)
		for scanner := bufio.NewScanner(resp.Body); scanner.Scan(); {
			if data, isData := strings.CutPrefix(scanner.Text(), "data: "); isData {
				lines <- data
			}
		}
	}()
	return lines
}

// next waits for a line with a text in it.
func next(t *testing.T, lines <-chan string, text string) string {
	t.Helper()
	for {
		line := conformance.Await(t, text, lines)
		if line == "" {
			t.Fatalf("got the end of the stream, want %s", text)
		}
		if strings.Contains(line, text) {
			return line
		}
	}
}

func TestEvents(t *testing.T) {
	s := newStudio(t)
	host := s.previewHost()
	lines := s.follow(host)
	first := next(t, lines, `"type":"build.ok"`)
	s.write("index.html", "<p>two</p>")
	second := next(t, lines, `"type":"build.ok"`)
	if first == second || !strings.Contains(second, `"build":"`) {
		t.Errorf("got %s and %s, want two builds", first, second)
	}
	s.write("app.js", "(")
	next(t, lines, `"diagnostics":[{"path":"app.js"`)
	s.must(s.preview.Stop(t.Context(), s.owner, s.project))
	for range lines {
	}
	if got := s.ask(http.MethodPost, s.previewHost(), "/@atelier/events"); got.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("got %d for POST, want 405", got.StatusCode)
	}
}

func TestEventsCarryTheModulesOfTheirBuild(t *testing.T) {
	s := newStudio(t)
	modules := func(line string) string {
		_, rest, _ := strings.Cut(line, `"modules":`)
		return strings.TrimSuffix(rest, "}")
	}
	s.write("public/@app/modules.json", `{"modules":{"a":1}}`)
	lines := s.follow(s.previewHost())
	if first := next(t, lines, `"type":"build.ok"`); modules(first) != "" {
		t.Errorf("got %s, want no modules for a page that has them", first)
	}
	for content, want := range map[string]string{
		"{\n\n\"modules\":{\"a\":2}}":                     `{"modules":{"a":2}}`,
		`{"large":"` + strings.Repeat("x", 40<<10) + `"}`: "",
	} {
		s.write("public/@app/modules.json", content)
		if line := next(t, lines, `"type":"build.ok"`); modules(line) != want {
			t.Errorf("got %.200s, want the modules %q", line, want)
		}
	}
	s.write("app.js", "(")
	if line := next(t, lines, `"type":"build.error"`); modules(line) != "" {
		t.Errorf("got %s, want no modules of what does not build", line)
	}
}

func TestClientScript(t *testing.T) {
	s := newStudio(t)
	got := s.get(s.previewHost(), "/@atelier/client.js")
	if got.StatusCode != http.StatusOK || got.Header.Get("Content-Type") != "text/javascript; charset=utf-8" || !strings.Contains(got.body, "EventSource('/@atelier/events')") {
		t.Errorf("got %d %v, want the script", got.StatusCode, got.Header)
	}
}

func TestPagesOfARehearsalDoNotFollowBuilds(t *testing.T) {
	s := newStudio(t)
	s.previewHost()
	url, end, err := s.preview.Rehearse(t.Context(), s.project, "")
	s.must(err)
	defer end()
	host := strings.TrimPrefix(url, "http://")
	page := s.get(host, "/")
	got := s.get(host, "/@atelier/client.js")
	if !strings.Contains(page.body, `src="/@atelier/client.js" data-build="`) || got.StatusCode != http.StatusOK || !strings.Contains(got.body, "dataset.build)") || strings.Contains(got.body, "setInterval") {
		t.Errorf("got %d %s, want the client of a rehearsal", got.StatusCode, got.body)
	}
}

func TestConsoleReports(t *testing.T) {
	s := newStudio(t)
	host := s.previewHost()
	const report = `{"level":"error","message":"boom at http://HOST/app.js","source":"http://HOST/app.js","line":3,"column":4}`
	post := func(body string, headers ...string) answer {
		return s.send(http.MethodPost, host, "/@atelier/console", strings.NewReader(strings.ReplaceAll(body, "HOST", host)), headers...)
	}
	const kind, sent = "Content-Type", "application/json"
	for _, c := range []struct {
		name, body string
		headers    []string
		status     int
	}{
		{"from the page", report, []string{kind, sent, "Sec-Fetch-Site", "same-origin"}, http.StatusNoContent},
		{"from the page, in an old browser", report, []string{kind, sent + "; charset=utf-8", "Origin", "http://" + host}, http.StatusNoContent},
		{"from another site", report, []string{kind, sent, "Sec-Fetch-Site", "cross-site", "Origin", "http://" + host}, http.StatusForbidden},
		{"from a sibling", report, []string{kind, sent, "Sec-Fetch-Site", "same-site"}, http.StatusForbidden},
		{"from another origin", report, []string{kind, sent, "Origin", "http://shop.sites.test"}, http.StatusForbidden},
		{"from nowhere", report, []string{kind, sent}, http.StatusForbidden},
		{"as a form", report, []string{kind, "text/plain", "Sec-Fetch-Site", "same-origin"}, http.StatusUnsupportedMediaType},
		{"without a type", report, []string{"Sec-Fetch-Site", "same-origin"}, http.StatusUnsupportedMediaType},
		{"of no known level", `{"level":"fatal"}`, []string{kind, sent, "Sec-Fetch-Site", "same-origin"}, http.StatusBadRequest},
		{"that is no JSON", `{`, []string{kind, sent, "Sec-Fetch-Site", "same-origin"}, http.StatusBadRequest},
		{"that is too large", `{"level":"log","message":"` + strings.Repeat("x", 80<<10) + `"}`, []string{kind, sent, "Sec-Fetch-Site", "same-origin"}, http.StatusBadRequest},
	} {
		if got := post(c.body, c.headers...); got.StatusCode != c.status {
			t.Errorf("%s: got %d %q, want %d", c.name, got.StatusCode, got.body, c.status)
		}
	}
	if got := post("["+report+","+report+"]", kind, sent, "Sec-Fetch-Site", "same-origin"); got.StatusCode != http.StatusNoContent {
		t.Errorf("a list: got %d %q, want 204", got.StatusCode, got.body)
	}
	lines := s.preview.Console(s.project)
	if len(lines) != 4 || lines[0] != "error: boom at /app.js (/app.js:3:4)" {
		t.Errorf("got %q, want four lines without the preview's host", lines)
	}
	limited := 0
	for range 40 {
		if post(report, kind, sent, "Sec-Fetch-Site", "same-origin").StatusCode == http.StatusTooManyRequests {
			limited++
		}
	}
	if limited == 0 {
		t.Error("got no report refused of 40 at once, want some")
	}
	if got := s.get(host, "/@atelier/console"); got.StatusCode != http.StatusMethodNotAllowed || got.Header.Get("Allow") != "POST" {
		t.Errorf("got %d for GET, want 405", got.StatusCode)
	}
}

// TestAPageHearsThatItsPreviewHasMoved: the stream of a page that is open, and the one that it opens
// anew at the former host, end with a code. The next host takes what the page brings once.
func TestAPageHearsThatItsPreviewHasMoved(t *testing.T) {
	s := newStudio(t)
	former := s.previewHost()
	lines := s.follow(former)
	next(t, lines, `"type":"build.ok"`)
	_, err := s.store.Tables().Workspaces.Update(t.Context(), s.space, func(w *core.Workspace) error { w.MembersVersion++; return nil })
	s.must(err)
	codes := make(map[string]bool)
	for name, stream := range map[string]<-chan string{"open": lines, "opened anew": s.follow(former)} {
		var event struct{ Type, To, Code string }
		s.must(json.Unmarshal([]byte(next(t, stream, `"moved"`)), &event))
		if event.Type != "moved" || event.To != "http://studio.test:8080/enter/"+string(s.project)+"?preview" || event.Code == "" || codes[event.Code] {
			t.Errorf("%s: got %+v, want the way through the studio and a code of its own", name, event)
		}
		codes[event.Code] = true
		move, err := s.preview.Move(t.Context(), s.owner, s.project, event.Code)
		s.must(err)
		for _, c := range []struct {
			name, host, site, code string
			want                   int
		}{
			{"a page of another host", s.previewHost(), "cross-site", move.Code, http.StatusForbidden},
			{"a forged code", s.previewHost(), "same-origin", "x", http.StatusForbidden},
			{"the former host", former, "same-origin", move.Code, http.StatusNotFound},
			{"the next host", s.previewHost(), "same-origin", move.Code, http.StatusNoContent},
			{"the next host again", s.previewHost(), "same-origin", move.Code, http.StatusForbidden},
		} {
			if got := s.sendJSON(c.host, "/@atelier/arrive", c.site, `{"code":"`+c.code+`"}`); got != c.want {
				t.Errorf("%s, %s: got %d, want %d", name, c.name, got, c.want)
			}
		}
	}
}

// sendJSON posts JSON from a page of a site (Sec-Fetch-Site) and returns the status.
func (s *studio) sendJSON(host, path, site, body string) int {
	s.t.Helper()
	r := httptest.NewRequest(http.MethodPost, "http://"+host+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Sec-Fetch-Site", site)
	recorder := httptest.NewRecorder()
	s.handler.ServeHTTP(recorder, r)
	return recorder.Code
}
