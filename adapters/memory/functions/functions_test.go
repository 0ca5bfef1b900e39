package functions_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	memory "github.com/atelierhq/atelier/adapters/memory/functions"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/functions"
	"github.com/atelierhq/atelier/ports/functions/functionstest"
)

func TestRunner(t *testing.T) { functionstest.Run(t, harness{}) }

type harness struct{}

func (harness) Runner(*testing.T) functions.Runner  { return memory.New(programs()) }
func (harness) Code(p functionstest.Program) []byte { return []byte(p.Name) }
func text(format string, args ...any) functions.Response {
	return functions.Response{Status: http.StatusOK, Body: fmt.Appendf(nil, format, args...)}
}

// programs are the suite's functions in Go.
func programs() map[string]memory.Func {
	return map[string]memory.Func{
		"echo": func(_ context.Context, c functions.Call, _ functions.Host, _ func(level, text string)) (functions.Response, error) {
			answer := text("%s %s %s %s", c.Request.Method, c.Request.URL, c.Request.Header.Get("X-Test"), c.Request.Body)
			answer.Status, answer.Header = http.StatusCreated, http.Header{"X-Answer": {"yes"}}
			return answer, nil
		},
		"bytes": func(_ context.Context, c functions.Call, _ functions.Host, _ func(level, text string)) (functions.Response, error) {
			return text("%s", c.Request.Body), nil
		},
		"context": func(_ context.Context, c functions.Call, _ functions.Host, _ func(level, text string)) (functions.Response, error) {
			return text("ada@example.com %s", c.Secrets["KEY"]), nil
		},
		"guest": func(_ context.Context, c functions.Call, _ functions.Host, _ func(level, text string)) (functions.Response, error) {
			return text("null"), nil
		},
		"throws": func(context.Context, functions.Call, functions.Host, func(level, text string)) (functions.Response, error) {
			panic("the stock is empty")
		},
		"wrong": func(context.Context, functions.Call, functions.Host, func(level, text string)) (functions.Response, error) {
			return functions.Response{}, &functions.Failure{Kind: functions.Invalid, Message: "no Response"}
		},
		"fetch": fetch, "catches": catches, "records": records, "posts": posts,
		"talks": func(_ context.Context, _ functions.Call, _ functions.Host, log func(level, text string)) (functions.Response, error) {
			log("info", "one 1")
			log("warn", "two")
			log("error", "three")
			return functions.Response{}, errors.New("enough")
		},
		"chatters": func(_ context.Context, _ functions.Call, _ functions.Host, log func(level, text string)) (functions.Response, error) {
			for i := range 10000 {
				log("info", strings.Repeat("x", i))
			}
			return text(""), nil
		},
		"counts": func(context.Context, functions.Call, functions.Host, func(level, text string)) (functions.Response, error) {
			return text("1"), nil
		},
		"huge": func(context.Context, functions.Call, functions.Host, func(level, text string)) (functions.Response, error) {
			return text("%s", strings.Repeat("x", functions.MaxAnswerBytes+1)), nil
		},
	}
}

func fetch(ctx context.Context, c functions.Call, host functions.Host, _ func(level, text string)) (functions.Response, error) {
	answer, err := host.Fetch(ctx, functions.Request{Method: http.MethodPost, URL: "https://api.example.com/v1", Header: http.Header{"X-Sent": {"sent"}}, Body: c.Request.Body})
	return text("%d %s %s", answer.Status, answer.Header.Get("X-Seen"), answer.Body), err
}

func catches(ctx context.Context, _ functions.Call, host functions.Host, _ func(level, text string)) (functions.Response, error) {
	_, err := host.Fetch(ctx, functions.Request{Method: http.MethodGet, URL: "https://example.com/"})
	var known *core.Error
	if errors.As(err, &known) {
		return text("%s", known.Message), nil
	}
	return functions.Response{}, err
}

func records(ctx context.Context, _ functions.Call, host functions.Host, _ func(level, text string)) (functions.Response, error) {
	ask := func(id string, admin bool) (string, int) {
		answer, err := host.Data(ctx, functions.Request{Method: http.MethodGet, URL: "/api/collections/notes/records/" + id}, admin)
		if err != nil {
			return err.Error(), 0
		}
		return strings.TrimSuffix(strings.TrimPrefix(string(answer.Body), `{"asked":"`), `"}`), answer.Status
	}
	own, _ := ask("n1", false)
	any, _ := ask("n1", true)
	_, gone := ask("missing", false)
	return text("%s, %s, %d", own, any, gone), nil
}

func posts(ctx context.Context, _ functions.Call, host functions.Host, _ func(level, text string)) (functions.Response, error) {
	if err := host.Mail(ctx, "ada@example.com", "Hi", "Text"); err != nil {
		return functions.Response{}, err
	}
	said, err := host.AI(ctx, "Hello", functions.AIOptions{System: "be brief", MaxTokens: 7})
	return text("%s", said), err
}
