// Package functions runs functions that are written in Go, for tests and demonstrations.
package functions

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/functions"
)

var _ functions.Runner = (*Runner)(nil)

// Func is a function. Its error is the call's failure; a *functions.Failure keeps its kind.
type Func func(ctx context.Context, call functions.Call, host functions.Host, log func(level, text string)) (functions.Response, error)

// Echo is a Func that answers with the body of the request.
func Echo(_ context.Context, call functions.Call, _ functions.Host, log func(level, text string)) (functions.Response, error) {
	log("info", call.Request.Method+" "+call.Request.URL)
	return functions.Response{Status: http.StatusOK, Body: call.Request.Body}, nil
}

// Runner implements functions.Runner for functions in Go. The code of a call is the name of its
// function. It bounds what goes in and out and the time, but no memory and no processor.
type Runner struct{ functions map[string]Func }

// New returns a runner of functions by their names.
func New(functions map[string]Func) *Runner { return &Runner{functions} }

// Run implements functions.Runner.
func (r *Runner) Run(ctx context.Context, call functions.Call, host functions.Host) (functions.Result, error) {
	if len(call.Request.Body) > functions.MaxBodyBytes {
		return failed(functions.TooLarge, "the request's body has more than 1 MiB"), nil
	}
	run, found := r.functions[strings.TrimSpace(string(call.Code))]
	if !found {
		return failed(functions.Invalid, "the file exports no function"), nil
	}
	within, cancel := context.WithTimeout(ctx, functions.MaxTime)
	defer cancel()
	talk := &console{}
	answer, err := contained(within, run, call, errorGuard{host}, talk.add)
	result := functions.Result{Response: answer, Console: talk.all()}
	switch failure := (*functions.Failure)(nil); {
	case ctx.Err() != nil:
		return functions.Result{}, ctx.Err()
	case within.Err() != nil:
		result.Failure = &functions.Failure{Kind: functions.OutOfTime, Message: "the function takes longer than " + functions.MaxTime.String()}
	case asFailure(err, &failure):
		result.Failure = failure
	case len(answer.Body) > functions.MaxAnswerBytes:
		result.Failure = &functions.Failure{Kind: functions.TooLarge, Message: "the answer has more than 5 MiB"}
	}
	if result.Failure != nil {
		result.Response = functions.Response{}
	}
	return result, nil
}

func failed(kind functions.FailureKind, message string) functions.Result {
	return functions.Result{Failure: &functions.Failure{Kind: kind, Message: message}}
}

// contained makes a panic of a function its error.
func contained(ctx context.Context, run Func, call functions.Call, host functions.Host, log func(level, text string)) (answer functions.Response, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("%v", cause)
		}
	}()
	return run(ctx, call, host, log)
}

func asFailure(err error, into **functions.Failure) bool {
	if err == nil {
		return false
	}
	if !errors.As(err, into) {
		*into = &functions.Failure{Kind: functions.Thrown, Message: err.Error()}
	}
	return true
}

// console keeps what a function says, within the port's bounds.
type console struct {
	mu    sync.Mutex
	lines []functions.Line
	bytes int
}

func (c *console) add(level, text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.lines) < functions.MaxLines && c.bytes+len(text) <= functions.MaxConsoleBytes {
		c.lines = append(c.lines, functions.Line{Level: level, Text: text})
		c.bytes += len(text)
	}
}

func (c *console) all() []functions.Line {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lines
}

// errorGuard is a host whose errors functions may see.
type errorGuard struct{ functions.Host }

// Fetch implements functions.Host.
func (g errorGuard) Fetch(ctx context.Context, r functions.Request) (functions.Response, error) {
	answer, err := g.Host.Fetch(ctx, r)
	return answer, told(err)
}

// Data implements functions.Host.
func (g errorGuard) Data(ctx context.Context, r functions.Request, admin bool) (functions.Response, error) {
	answer, err := g.Host.Data(ctx, r, admin)
	return answer, told(err)
}

// told is what a function learns of an error of its host.
func told(err error) error {
	if err == nil || core.CodeOf(err) != core.CodeInternal {
		return err
	}
	return core.Errorf(core.CodeInternal, "internal error")
}
