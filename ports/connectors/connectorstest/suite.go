// Package connectorstest is the conformance suite of ports/connectors.
package connectorstest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/connectors"
)

// Script is a server that a harness has to start.
type Script struct {
	Tools []core.OfferedTool
	// Answer answers a call. It is not called for tools that the server does not have.
	Answer func(tool string, args json.RawMessage, header func(string) string) connectors.Answer
}

// Harness makes clients and servers.
type Harness interface {
	Client(t *testing.T) connectors.Client
	// Serve starts a server, and returns its URL.
	Serve(t *testing.T, server Script) string
	// Nowhere returns a URL at which nothing answers.
	Nowhere(t *testing.T) string
}

const anySchema = `{"type":"object"}`

// TestClient tests an implementation.
func TestClient(t *testing.T, harness Harness) {
	client := harness.Client(t)
	server := Script{
		Tools: []core.OfferedTool{{Name: "add", Description: "Adds ✓", Schema: anySchema}, {Name: "fail", Description: "Fails", Schema: anySchema}},
		Answer: func(tool string, args json.RawMessage, header func(string) string) connectors.Answer {
			if tool == "fail" {
				return connectors.Answer{Text: "no luck", Failed: true}
			}
			if len(args) > 1000 {
				return connectors.Answer{Text: strings.Repeat("x", connectors.MaxAnswerBytes+9)}
			}
			return connectors.Answer{Text: string(args) + " for " + header("X-Key")}
		},
	}
	at := connectors.Server{URL: harness.Serve(t, server), Headers: map[string]string{"X-Key": "k1"}}
	t.Run("tools are listed as the server has them", func(t *testing.T) {
		got, err := client.List(t.Context(), at)
		if err != nil || len(got) != 2 || got[0] != server.Tools[0] || got[1] != server.Tools[1] {
			t.Fatalf("got %+v, %v; want %+v", got, err, server.Tools)
		}
	})
	t.Run("a call has the arguments and the headers", func(t *testing.T) {
		wantAnswer(t, client, at, "add", `{"n":1}`, connectors.Answer{Text: `{"n":1} for k1`})
	})
	t.Run("a failure of a tool is an answer", func(t *testing.T) {
		wantAnswer(t, client, at, "fail", `{}`, connectors.Answer{Text: "no luck", Failed: true})
	})
	t.Run("a long answer is cut", func(t *testing.T) {
		got, err := client.Call(t.Context(), at, "add", json.RawMessage(`{"n":"`+strings.Repeat("y", 1000)+`"}`))
		if err != nil || len(got.Text) != connectors.MaxAnswerBytes {
			t.Fatalf("got %d bytes, %v; want %d", len(got.Text), err, connectors.MaxAnswerBytes)
		}
	})
	t.Run("a tool that is not there fails", func(t *testing.T) {
		if got, err := client.Call(t.Context(), at, "other", json.RawMessage(`{}`)); err != nil || !got.Failed {
			t.Fatalf("got %+v, %v; want an answer that failed", got, err)
		}
	})
	t.Run("a server that does not answer is unavailable", func(t *testing.T) {
		_, err := client.List(t.Context(), connectors.Server{URL: harness.Nowhere(t)})
		if !core.IsCode(err, core.CodeUnavailable) {
			t.Fatalf("got %v, want %s", err, core.CodeUnavailable)
		}
		if _, err = client.Call(t.Context(), connectors.Server{URL: harness.Nowhere(t)}, "add", json.RawMessage(`{}`)); !core.IsCode(err, core.CodeUnavailable) {
			t.Fatalf("got %v, want %s", err, core.CodeUnavailable)
		}
	})
	t.Run("no call outlives its context", func(t *testing.T) {
		ended, end := context.WithCancel(t.Context())
		end()
		_, err := client.List(ended, at)
		_, other := client.Call(ended, at, "add", json.RawMessage(`{}`))
		if !errors.Is(err, context.Canceled) || !errors.Is(other, context.Canceled) {
			t.Fatalf("got %v and %v, want %v", err, other, context.Canceled)
		}
	})
}

func wantAnswer(t *testing.T, client connectors.Client, at connectors.Server, tool, args string, want connectors.Answer) {
	t.Helper()
	if got, err := client.Call(t.Context(), at, tool, json.RawMessage(args)); err != nil || got != want {
		t.Fatalf("got %+v, %v; want %+v", got, err, want)
	}
}
