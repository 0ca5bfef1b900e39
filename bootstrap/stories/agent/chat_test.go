package agent_test

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

func startSlow(t *testing.T) (*storytest.Work, <-chan struct{}) {
	t.Helper()
	address, gone := storytest.SlowOllama(t)
	s := storytest.Serve(t, t.TempDir(), local.New, map[string]string{"AI_PROVIDER": "ollama", "OLLAMA_HOST": address, "AI_MODEL": "m"})
	return s.SignUp().Create("static-html"), gone
}

func TestClosingTheConnectionClosesTheModelCall(t *testing.T) {
	w, gone := startSlow(t)
	ctx, cancel := context.WithCancel(t.Context())
	response := w.OpenMessage(ctx, map[string]any{"text": "hi"})
	cancel()
	response.Body.Close()
	conformance.Await(t, "the end of the model call", gone)
	w.WaitIdle()
	log := w.History()
	if last := log[len(log)-1]; last["type"] != "session.task_complete" || last["reason"] != "stopped" {
		t.Fatalf("got %v, want stopped", last)
	}
}

func TestADetachedMessageGoesOnAndStopEndsIt(t *testing.T) {
	w, gone := startSlow(t)
	ctx, cancel := context.WithCancel(t.Context())
	response := w.OpenMessage(ctx, map[string]any{"text": "hi", "detach": true})
	cancel()
	response.Body.Close()
	if got := w.Do(http.MethodPost, "/chat/"+string(w.ID)+"/messages", map[string]any{"chatId": w.Chat, "text": "more"}); got.Status != http.StatusConflict || got.Code() != core.CodeChatBusy {
		t.Fatalf("got %d %s, want chat_busy", got.Status, got.Body)
	}
	w.Must(http.StatusAccepted, http.MethodPost, "/chat/"+string(w.ID)+"/stop", map[string]any{"chatId": w.Chat}, nil)
	conformance.Await(t, "the end of the model call", gone)
	w.WaitIdle()
}

func TestAStreamHasTheContractsShape(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			w := program.Serve(t).SignUp().Create("static-html")
			response := w.Open(t.Context(), http.MethodPost, "/chat/"+string(w.ID)+"/messages", map[string]any{"chatId": w.Chat, "text": `Change the heading to "Bonjour".`})
			defer response.Body.Close()
			for header, want := range map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no"} {
				if got := response.Header.Get(header); got != want {
					t.Errorf("%s: got %q, want %q", header, got, want)
				}
			}
			all := storytest.Events(t, response.Body)
			for i, e := range all {
				if e.ID != strconv.Itoa(i+1) {
					t.Fatalf("got the id %q at place %d, want seqs without a gap", e.ID, i+1)
				}
			}
			got := storytest.Kinds(all)
			for _, want := range []string{"user.message", "tool.call", "tool.result", "file.changed", "session.usage_info", "assistant.message ", "version.created session.task_complete"} {
				if !strings.Contains(got, want) {
					t.Errorf("got %s, want %s in it", got, want)
				}
			}
			log := w.History()
			if len(log) != len(all) {
				t.Fatalf("got %d events in the history, %d in the stream", len(log), len(all))
			}
			for i := range log {
				if fmt.Sprint(log[i]) != fmt.Sprint(all[i].Data) {
					t.Fatalf("event %d differs: got %v, want %v", i, log[i], all[i].Data)
				}
			}
		})
	}
}

func TestAReconnectGoesOnWhereTheStreamBroke(t *testing.T) {
	w := storytest.Serve(t, t.TempDir(), local.New, nil).SignUp().Create("static-html")
	all := w.Send(`Change the heading to "Bonjour".`)
	for _, at := range []int{0, 1, len(all) / 2, len(all)} {
		stream := "/chat/" + string(w.ID) + "/stream" + storytest.Query("chatId", string(w.Chat))
		byHeader := w.Open(t.Context(), http.MethodGet, stream, nil, "Last-Event-ID", strconv.Itoa(at))
		byQuery := w.Open(t.Context(), http.MethodGet, stream+"&after="+strconv.Itoa(at), nil)
		for _, response := range []*http.Response{byHeader, byQuery} {
			rest := storytest.Events(t, response.Body)
			response.Body.Close()
			if got, want := storytest.Kinds(rest), storytest.Kinds(all[at:]); got != want {
				t.Errorf("after %d: got %s, want %s", at, got, want)
			}
		}
	}
}

func TestChatRoutesRefuseNonsense(t *testing.T) {
	w := storytest.Serve(t, t.TempDir(), local.New, nil).SignUp().Create("static-html")
	chat := "/chat/" + string(w.ID)
	nobody := core.NewID()
	for name, c := range map[string]struct {
		method, path string
		body         any
		status       int
		code         core.Code
	}{
		"no text":              {http.MethodPost, chat + "/messages", map[string]any{"chatId": w.Chat}, 400, core.CodeInvalidRequest},
		"empty text":           {http.MethodPost, chat + "/messages", map[string]any{"chatId": w.Chat, "text": " "}, 400, core.CodeValidationFailed},
		"long text":            {http.MethodPost, chat + "/messages", map[string]any{"chatId": w.Chat, "text": strings.Repeat("x", core.MaxMessageChars+1)}, 400, core.CodeValidationFailed},
		"unknown field":        {http.MethodPost, chat + "/messages", map[string]any{"chatId": w.Chat, "text": "x", "mode": "x"}, 400, core.CodeInvalidRequest},
		"chat of nobody":       {http.MethodPost, chat + "/messages", map[string]any{"chatId": nobody, "text": "x"}, 404, core.CodeNotFound},
		"malformed chat":       {http.MethodPost, chat + "/messages", map[string]any{"chatId": "x", "text": "x"}, 404, core.CodeNotFound},
		"project of nobody":    {http.MethodPost, "/chat/" + string(nobody) + "/messages", map[string]any{"chatId": w.Chat, "text": "x"}, 404, core.CodeNotFound},
		"history without chat": {http.MethodGet, chat + "/messages", nil, 400, core.CodeInvalidRequest},
		"history before 0":     {http.MethodGet, chat + "/messages" + storytest.Query("chatId", string(w.Chat), "before", "0"), nil, 400, core.CodeInvalidRequest},
		"history limit words":  {http.MethodGet, chat + "/messages" + storytest.Query("chatId", string(w.Chat), "limit", "many"), nil, 400, core.CodeInvalidRequest},
		"stream after -1":      {http.MethodGet, chat + "/stream" + storytest.Query("chatId", string(w.Chat), "after", "-1"), nil, 400, core.CodeInvalidRequest},
		"stream of nobody":     {http.MethodGet, chat + "/stream" + storytest.Query("chatId", string(nobody)), nil, 404, core.CodeNotFound},
		"stop of nobody":       {http.MethodPost, chat + "/stop", map[string]any{"chatId": nobody}, 404, core.CodeNotFound},
		"chat without mode":    {http.MethodPost, w.Path("/chats"), map[string]any{}, 400, core.CodeInvalidRequest},
		"chat with empty mode": {http.MethodPost, w.Path("/chats"), map[string]any{"mode": ""}, 400, core.CodeValidationFailed},
		"the last chat":        {http.MethodDelete, w.Path("/chats/" + string(w.Chat)), nil, 409, core.CodeConflict},
	} {
		if got := w.Do(c.method, c.path, c.body); got.Status != c.status || got.Code() != c.code {
			t.Errorf("%s: got %d %.200s, want %d %s", name, got.Status, got.Body, c.status, c.code)
		}
	}
}

func TestAProjectWithAPromptRunsWithoutAClient(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			c := program.Serve(t).SignUp()
			w := &storytest.Work{Caller: c}
			body := map[string]string{"name": "Prompted", "template": "static-html", "prompt": `Change the heading to "Queued".`}
			c.Must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(c.Workspace)+"/projects", body, &w.Project)
			var chats struct{ Items []core.Chat }
			c.Must(http.StatusOK, http.MethodGet, w.Path("/chats"), nil, &chats)
			w.Chat = chats.Items[0].ID
			response := w.Open(t.Context(), http.MethodGet, "/chat/"+string(w.ID)+"/stream"+storytest.Query("chatId", string(w.Chat)), nil)
			defer response.Body.Close()
			all := storytest.Events(t, response.Body)
			if got := storytest.Kinds(all); !strings.HasPrefix(got, "user.message") || !strings.HasSuffix(got, "session.task_complete") {
				t.Fatalf("got %s, want a whole run", got)
			}
		})
	}
}

func TestAWorkspaceWithoutAProviderIsToldSoInTheStream(t *testing.T) {
	w := storytest.Serve(t, t.TempDir(), local.New, map[string]string{"AI_PROVIDER": "none"}).SignUp().Create("blank")
	all := w.Send("hi")
	last := all[len(all)-1]
	if last.Kind() != "session.error" || last.Data["error"] != "no_provider" || last.Data["message"] == "" {
		t.Fatalf("got %v, want no_provider", last.Data)
	}
	w.Must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(w.Workspace)+"/ai-providers", map[string]any{"kind": "demo", "name": "Demo"}, nil)
	if got := storytest.Kinds(w.Send("hi")); !strings.HasSuffix(got, "session.task_complete") {
		t.Fatalf("got %s, want the workspace's own provider to answer", got)
	}
}
