// Package functionstest tests functions.Runner against its port.
package functionstest

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/functions"
)

// Harness makes the runner of a test, and the code of programs for it.
type Harness interface {
	Runner(t *testing.T) functions.Runner
	Code(p Program) []byte
}

// Program is a function of the suite. A runner of other code than scripts has the same one under
// its name.
type Program struct{ Name, Script string }

// Run tests a runner against the port.
func Run(t *testing.T, harness Harness) {
	for _, c := range clauses() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t, &suite{harness: harness, runner: harness.Runner(t)})
		})
	}
}

type clause struct {
	name string
	test func(t *testing.T, s *suite)
}

func clauses() []clause {
	return []clause{
		{"a function answers what it is asked", answers},
		{"bodies are bytes", bytesStay},
		{"a function finds the user and the secrets", findsContext},
		{"a guest is null", findsGuest},
		{"an exception is a failure with its text", throws},
		{"an answer that is no Response is a failure", answersWrongly},
		{"code without a function is a failure", lacksFunction},
		{"a function fetches through its host", fetches},
		{"the host's refusals reach the function, and nothing of its own failures", hostFails},
		{"records are asked for with rights", asksForRecords},
		{"mails and prompts go to the host", mailsAndPrompts},
		{"the console is kept, also of a function that fails", keepsConsole},
		{"the console is bounded", boundsConsole},
		{"nothing survives a call", forgets},
		{"calls at the same time are apart", apart},
		{"a body that is too large is a failure", refusesBodies},
		{"an answer that is too large is a failure", refusesAnswers},
		{"a call ends with its context", ends},
	}
}

type suite struct {
	harness Harness
	runner  functions.Runner
}

// run makes a call that must not end with an error.
func (s *suite) run(t *testing.T, name string, change func(*functions.Call), host functions.Host) functions.Result {
	t.Helper()
	call := functions.Call{
		Tenant: core.NewID(), Code: s.harness.Code(program(name)),
		Request: functions.Request{Method: http.MethodPost, URL: "https://shop.example.com/_fn/x?a=1", Header: http.Header{"X-Test": {"one"}}, Body: []byte("hello")},
	}
	if change != nil {
		change(&call)
	}
	found, err := s.runner.Run(t.Context(), call, host)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// answer is the body of a call that must succeed.
func (s *suite) answer(t *testing.T, name string, change func(*functions.Call), host functions.Host) string {
	t.Helper()
	found := s.run(t, name, change, host)
	if found.Failure != nil {
		t.Fatalf("the function failed: %+v", *found.Failure)
	}
	return string(found.Response.Body)
}

func want(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func wantFailure(t *testing.T, found functions.Result, kind functions.FailureKind, text string) {
	t.Helper()
	if found.Failure == nil {
		t.Fatalf("got status %d, want a failure of kind %s", found.Response.Status, kind)
	}
	if found.Failure.Kind != kind || !strings.Contains(found.Failure.Message, text) {
		t.Errorf("got %s %q, want %s with %q", found.Failure.Kind, found.Failure.Message, kind, text)
	}
}

func answers(t *testing.T, s *suite) {
	found := s.run(t, "echo", nil, nil)
	if found.Failure != nil {
		t.Fatal(found.Failure)
	}
	want(t, string(found.Response.Body), "POST https://shop.example.com/_fn/x?a=1 one hello")
	if found.Response.Status != http.StatusCreated || found.Response.Header.Get("X-Answer") != "yes" {
		t.Errorf("got status %d and header %v, want 201 and X-Answer: yes", found.Response.Status, found.Response.Header)
	}
}

func bytesStay(t *testing.T, s *suite) {
	every := make([]byte, 256)
	for i := range every {
		every[i] = byte(i)
	}
	want(t, s.answer(t, "bytes", func(c *functions.Call) { c.Request.Body = every }, nil), string(every))
}

func findsContext(t *testing.T, s *suite) {
	got := s.answer(t, "context", func(c *functions.Call) {
		c.User, c.Secrets = []byte(`{"id":"u1","email":"ada@example.com"}`), map[string]string{"KEY": "k1"}
	}, nil)
	want(t, got, "ada@example.com k1")
}

func findsGuest(t *testing.T, s *suite) { want(t, s.answer(t, "guest", nil, nil), "null") }

func throws(t *testing.T, s *suite) {
	wantFailure(t, s.run(t, "throws", nil, nil), functions.Thrown, "the stock is empty")
}

func answersWrongly(t *testing.T, s *suite) {
	wantFailure(t, s.run(t, "wrong", nil, nil), functions.Invalid, "Response")
}

func lacksFunction(t *testing.T, s *suite) {
	wantFailure(t, s.run(t, "empty", nil, nil), functions.Invalid, "no function")
}

func refusesBodies(t *testing.T, s *suite) {
	found := s.run(t, "echo", func(c *functions.Call) { c.Request.Body = make([]byte, functions.MaxBodyBytes+1) }, nil)
	wantFailure(t, found, functions.TooLarge, "1 MiB")
}

func refusesAnswers(t *testing.T, s *suite) {
	wantFailure(t, s.run(t, "huge", nil, nil), functions.TooLarge, "5 MiB")
}

func keepsConsole(t *testing.T, s *suite) {
	found := s.run(t, "talks", nil, nil)
	wantFailure(t, found, functions.Thrown, "enough")
	lines := []functions.Line{{Level: "info", Text: "one 1"}, {Level: "warn", Text: "two"}, {Level: "error", Text: "three"}}
	if len(found.Console) != len(lines) {
		t.Fatalf("got %v, want %v", found.Console, lines)
	}
	for i, line := range lines {
		if found.Console[i] != line {
			t.Errorf("got %v, want %v", found.Console[i], line)
		}
	}
}

func boundsConsole(t *testing.T, s *suite) {
	found := s.run(t, "chatters", nil, nil)
	size := 0
	for _, line := range found.Console {
		size += len(line.Text)
	}
	if len(found.Console) == 0 || len(found.Console) > functions.MaxLines || size > functions.MaxConsoleBytes+100 {
		t.Errorf("got %d lines with %d bytes", len(found.Console), size)
	}
}

func forgets(t *testing.T, s *suite) {
	for range 3 {
		want(t, s.answer(t, "counts", nil, nil), "1")
	}
}

func ends(t *testing.T, s *suite) {
	host := &host{block: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	host.reached = cancel
	began := time.Now()
	_, err := s.runner.Run(ctx, functions.Call{Tenant: core.NewID(), Code: s.harness.Code(program("fetch")), Request: functions.Request{Method: http.MethodGet, URL: "https://shop.example.com/"}}, host)
	if err == nil || ctx.Err() == nil || time.Since(began) > conformance.Patience {
		t.Errorf("got %v after %v, want the context's error", err, time.Since(began))
	}
}
