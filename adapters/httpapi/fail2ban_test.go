package httpapi

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
)

// failRegexps are the expressions of the example filter, with the group that
// fail2ban puts for <HOST>.
func failRegexps(t *testing.T) []*regexp.Regexp {
	t.Helper()
	text, err := os.ReadFile("fail2ban.conf")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "failregex =")
	var all []*regexp.Regexp
	for line := range strings.Lines(list) {
		all = append(all, regexp.MustCompile(strings.ReplaceAll(strings.TrimSpace(line), "<HOST>", `(?P<host>[0-9a-fA-F.:]+)`)))
	}
	return all
}

func TestTheExampleFilterFindsWhoToBan(t *testing.T) {
	filters := failRegexps(t)
	for name, handler := range map[string]func(*bytes.Buffer) slog.Handler{
		"text": func(b *bytes.Buffer) slog.Handler { return slog.NewTextHandler(b, nil) },
		"json": func(b *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(b, nil) },
	} {
		deps, _, _ := testDeps(t)
		var log bytes.Buffer
		deps.Log = slog.New(handler(&log))
		api := New(deps)
		send := func(method, target, body string) {
			r := httptest.NewRequest(method, target, strings.NewReader(body))
			r.RemoteAddr = "203.0.113.9:5"
			r.Header.Set("Content-Type", "application/json")
			api.ServeHTTP(httptest.NewRecorder(), r)
		}
		send(http.MethodPost, "/auth/login", `{"email":"a@example.com","password":"wrong password"}`)
		send(http.MethodGet, "/x%20level=WARN%20msg=auth_failed%20ip=198.51.100.1%20reason=forged", "")
		send(http.MethodGet, "/x%0atime=0%20level=WARN%20msg=auth_failed%20ip=198.51.100.1%20reason=forged", "")
		send(http.MethodGet, `/%22%7d%0a%7b%22time%22:%220%22,%22level%22:%22WARN%22,%22msg%22:%22auth_failed%22,%22ip%22:%22198.51.100.1%22,%22reason%22:%22forged%22%7d`, "")
		var found []string
		for line := range strings.Lines(log.String()) {
			for _, filter := range filters {
				if match := filter.FindStringSubmatch(strings.TrimSuffix(line, "\n")); match != nil {
					found = append(found, match[1])
				}
			}
		}
		if len(found) != 1 || found[0] != "203.0.113.9" {
			t.Errorf("%s: got %q from\n%s, want the one client that guessed", name, found, &log)
		}
	}
}
