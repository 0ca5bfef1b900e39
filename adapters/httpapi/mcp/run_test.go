package mcp

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
)

// chat describes the routes that answer with events.
const chat = `
paths:
  /chat/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get:
      summary: Follow
      parameters: [{name: after, in: query, schema: {type: integer}}]
    post:
      summary: Send
      requestBody: {required: true, content: {application/json: {schema: {type: object, required: [chatId], properties: {chatId: {type: string}}}}}}
`

// play calls a tool whose route api answers.
func play(t *testing.T, tool Tool, arguments string, api http.HandlerFunc) (text string, failed bool) {
	t.Helper()
	tool.Pattern = "/chat/:id"
	made, err := describe(documentOf(t, chat), tool)
	if err != nil {
		t.Fatal(err)
	}
	in := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", nil)
	caller := rest.NewRequest(in, "request", rest.ClientIP(in, nil), http.NewResponseController(httptest.NewRecorder()))
	result := (&Server{api: api}).call(&made, caller, []byte(arguments))
	return result.Content[0].(*sdk.TextContent).Text, result.IsError
}

func following() Tool { return Tool{Name: "follow", Method: http.MethodGet, play: follow} }

// stream answers with events, in two pieces each, and then with what more does.
func stream(more func(r *http.Request), events ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, ": open\n\n")
		for i, event := range events {
			frame := fmt.Sprintf("id: %d\ndata: %s\n\n", i+1, event)
			fmt.Fprint(w, frame[:9])
			fmt.Fprint(w, frame[9:])
		}
		fmt.Fprint(w, ": ping\n\n")
		if more != nil {
			more(r)
		}
	}
}

func event(seq int, kind string) string { return fmt.Sprintf(`{"type":%q,"seq":%d}`, kind, seq) }

func TestARunIsFollowedToItsEnd(t *testing.T) {
	got, failed := play(t, following(), `{"id":"c"}`, stream(nil, event(1, "user.message"), event(2, "assistant.message_delta"), event(3, "session.task_complete")))
	want := `{"events":[{"type":"user.message","seq":1},{"type":"session.task_complete","seq":3}],"after":3,"ended":true}`
	if got != want || failed {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, _ := play(t, following(), `{"id":"c","after":7}`, stream(nil)); got != `{"events":[],"after":7,"ended":true}` {
		t.Errorf("got %s, want a chat without a run", got)
	}
}

// TestACallThatFollowsEndsInTime: it can be repeated with what it returned.
func TestACallThatFollowsEndsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		got, failed := play(t, following(), `{"id":"c","after":4}`, stream(func(r *http.Request) { <-r.Context().Done() }, event(5, "tool.call"), event(6, "assistant.message_delta")))
		if want := `{"events":[{"type":"tool.call","seq":5}],"after":6,"ended":false}`; got != want || failed {
			t.Errorf("got %s, want %s", got, want)
		}
		if took := time.Since(begun); took != followTime {
			t.Errorf("got an answer after %s, want %s", took, followTime)
		}
		// A run that only waits has not ended.
		got, _ = play(t, following(), `{"id":"c","after":4}`, stream(func(r *http.Request) { <-r.Context().Done() }))
		if want := `{"events":[],"after":4,"ended":false}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

// TestACallReturnsNoMoreThanAModelReads: the rest is for the next call.
func TestACallReturnsNoMoreThanAModelReads(t *testing.T) {
	var all []string
	for seq := 1; seq <= 10; seq++ {
		all = append(all, fmt.Sprintf(`{"type":"tool.result","seq":%d,"result":%q}`, seq, strings.Repeat("x", maxFollowBytes/4)))
	}
	text, _ := play(t, following(), `{"id":"c"}`, stream(nil, all...))
	var got struct {
		Events []any
		After  int
		Ended  bool
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil || len(got.Events) != got.After || got.After >= 10 || got.Ended {
		t.Errorf("got %d events up to %d, ended %v, %v; want a part", len(got.Events), got.After, got.Ended, err)
	}
}

func TestABeginningReturnsAtOnce(t *testing.T) {
	tool := Tool{Name: "send", Method: http.MethodPost, play: begin}
	got, failed := play(t, tool, `{"id":"p","chatId":"c"}`, stream(func(r *http.Request) { <-r.Context().Done() }, event(8, "user.message"), event(9, "tool.call")))
	if got != `{"after":8,"chatId":"c"}` || failed {
		t.Errorf("got %s, want the place of the message", got)
	}
	got, failed = play(t, tool, `{"id":"p","chatId":"c"}`, func(w http.ResponseWriter, _ *http.Request) {
		_ = rest.WriteJSON(w, http.StatusConflict, rest.Failure{Error: core.CodeChatBusy, Message: "wait"})
	})
	if !strings.Contains(got, `"chat_busy"`) || !failed {
		t.Errorf("got %s, want what the API says", got)
	}
}

func TestAnAnswerThatBreaksOffIsAnError(t *testing.T) {
	broken := func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
	for _, tool := range []Tool{following(), {Name: "get", Method: http.MethodGet}} {
		if got, failed := play(t, tool, `{"id":"c"}`, broken); !strings.Contains(got, `"unavailable"`) || !failed {
			t.Errorf("%s: got %s, want unavailable", tool.Name, got)
		}
	}
	if got, failed := play(t, Tool{Name: "get", Method: http.MethodGet}, `{"id":"c"}`, func(w http.ResponseWriter, _ *http.Request) {
		for range 5 {
			_, _ = w.Write(make([]byte, 1<<20))
		}
	}); !strings.Contains(got, `"payload_too_large"`) || !failed {
		t.Errorf("got %.100s, want payload_too_large", got)
	}
}
