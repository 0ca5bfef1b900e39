package bootstrap_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/core"
)

// slowOllama answers with one word and then nothing until its client goes, which
// it reports.
func slowOllama(t testing.TB) (address string, gone <-chan struct{}) {
	t.Helper()
	left := make(chan struct{}, 10)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"capabilities":["completion","tools"],"model_info":{}}`)
	})
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"models":[{"name":"m","model":"m"}]}`)
	})
	mux.HandleFunc("POST /api/chat", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		fmt.Fprintln(w, `{"model":"m","message":{"role":"assistant","content":"Well"},"done":false}`)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		left <- struct{}{}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL, left
}

func startSlow(t *testing.T) (*work, <-chan struct{}) {
	t.Helper()
	address, gone := slowOllama(t)
	s := serve(t, t.TempDir(), local.New, map[string]string{"AI_PROVIDER": "ollama", "OLLAMA_HOST": address, "AI_MODEL": "m"})
	return s.signUp().create("static-html"), gone
}

func within(t *testing.T, d time.Duration, what string, happened <-chan struct{}) {
	t.Helper()
	select {
	case <-happened:
	case <-time.After(d):
		t.Fatalf("%s did not happen within %s", what, d)
	}
}

// openMessage sends a message and waits for the first word of the answer.
func (w *work) openMessage(ctx context.Context, body map[string]any) *http.Response {
	w.t.Helper()
	body["chatId"] = w.chat
	response := w.open(ctx, http.MethodPost, "/chat/"+string(w.ID)+"/messages", body)
	if response.StatusCode != http.StatusOK {
		content, _ := io.ReadAll(response.Body)
		w.t.Fatalf("message: got %d %s", response.StatusCode, content)
	}
	each(w.t, response.Body, func(e event) bool { return e.kind() != "assistant.message_delta" })
	return response
}

func TestClosingTheConnectionClosesTheModelCall(t *testing.T) {
	w, gone := startSlow(t)
	ctx, cancel := context.WithCancel(t.Context())
	response := w.openMessage(ctx, map[string]any{"text": "hi"})
	cancel()
	response.Body.Close()
	within(t, 2*time.Second, "the end of the model call", gone)
	w.waitIdle()
	log := w.history()
	if last := log[len(log)-1]; last["type"] != "session.task_complete" || last["reason"] != "stopped" {
		t.Fatalf("got %v, want stopped", last)
	}
}

// waitIdle waits until the chat may be written to again.
func (w *work) waitIdle() {
	w.t.Helper()
	for range 400 {
		var chats struct{ Items []core.Chat }
		w.must(http.StatusOK, http.MethodGet, w.path("/chats"), nil, &chats)
		if !chats.Items[0].Running {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	w.t.Fatal("the chat stays busy")
}

func TestADetachedMessageGoesOnAndStopEndsIt(t *testing.T) {
	w, gone := startSlow(t)
	ctx, cancel := context.WithCancel(t.Context())
	response := w.openMessage(ctx, map[string]any{"text": "hi", "detach": true})
	cancel()
	response.Body.Close()
	if got := w.do(http.MethodPost, "/chat/"+string(w.ID)+"/messages", map[string]any{"chatId": w.chat, "text": "more"}); got.status != http.StatusConflict || got.code() != core.CodeChatBusy {
		t.Fatalf("got %d %s, want chat_busy", got.status, got.body)
	}
	w.must(http.StatusAccepted, http.MethodPost, "/chat/"+string(w.ID)+"/stop", map[string]any{"chatId": w.chat}, nil)
	within(t, time.Second, "the end of the model call", gone)
	w.waitIdle()
}

func TestAStreamHasTheContractsShape(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			w := program.serve(t).signUp().create("static-html")
			response := w.open(t.Context(), http.MethodPost, "/chat/"+string(w.ID)+"/messages", map[string]any{"chatId": w.chat, "text": `Change the heading to "Bonjour".`})
			defer response.Body.Close()
			for header, want := range map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no"} {
				if got := response.Header.Get(header); got != want {
					t.Errorf("%s: got %q, want %q", header, got, want)
				}
			}
			all := events(t, response.Body)
			for i, e := range all {
				if e.id != strconv.Itoa(i+1) {
					t.Fatalf("got the id %q at place %d, want seqs without a gap", e.id, i+1)
				}
			}
			got := kinds(all)
			for _, want := range []string{"user.message", "tool.call", "tool.result", "file.changed", "session.usage_info", "assistant.message ", "version.created session.task_complete"} {
				if !strings.Contains(got, want) {
					t.Errorf("got %s, want %s in it", got, want)
				}
			}
			log := w.history()
			if len(log) != len(all) {
				t.Fatalf("got %d events in the history, %d in the stream", len(log), len(all))
			}
			for i := range log {
				if fmt.Sprint(log[i]) != fmt.Sprint(all[i].data) {
					t.Fatalf("event %d differs: got %v, want %v", i, log[i], all[i].data)
				}
			}
		})
	}
}

func TestAReconnectGoesOnWhereTheStreamBroke(t *testing.T) {
	w := serve(t, t.TempDir(), local.New, nil).signUp().create("static-html")
	all := w.send(`Change the heading to "Bonjour".`)
	for _, at := range []int{0, 1, len(all) / 2, len(all)} {
		stream := "/chat/" + string(w.ID) + "/stream" + query("chatId", string(w.chat))
		byHeader := w.open(t.Context(), http.MethodGet, stream, nil, "Last-Event-ID", strconv.Itoa(at))
		byQuery := w.open(t.Context(), http.MethodGet, stream+"&after="+strconv.Itoa(at), nil)
		for _, response := range []*http.Response{byHeader, byQuery} {
			rest := events(t, response.Body)
			response.Body.Close()
			if got, want := kinds(rest), kinds(all[at:]); got != want {
				t.Errorf("after %d: got %s, want %s", at, got, want)
			}
		}
	}
}

func TestChatRoutesRefuseNonsense(t *testing.T) {
	w := serve(t, t.TempDir(), local.New, nil).signUp().create("static-html")
	chat := "/chat/" + string(w.ID)
	nobody := core.NewID()
	for name, c := range map[string]struct {
		method, path string
		body         any
		status       int
		code         core.Code
	}{
		"no text":              {http.MethodPost, chat + "/messages", map[string]any{"chatId": w.chat}, 400, core.CodeInvalidRequest},
		"empty text":           {http.MethodPost, chat + "/messages", map[string]any{"chatId": w.chat, "text": " "}, 400, core.CodeValidationFailed},
		"long text":            {http.MethodPost, chat + "/messages", map[string]any{"chatId": w.chat, "text": strings.Repeat("x", core.MaxMessageChars+1)}, 400, core.CodeValidationFailed},
		"unknown field":        {http.MethodPost, chat + "/messages", map[string]any{"chatId": w.chat, "text": "x", "mode": "x"}, 400, core.CodeInvalidRequest},
		"chat of nobody":       {http.MethodPost, chat + "/messages", map[string]any{"chatId": nobody, "text": "x"}, 404, core.CodeNotFound},
		"malformed chat":       {http.MethodPost, chat + "/messages", map[string]any{"chatId": "x", "text": "x"}, 404, core.CodeNotFound},
		"project of nobody":    {http.MethodPost, "/chat/" + string(nobody) + "/messages", map[string]any{"chatId": w.chat, "text": "x"}, 404, core.CodeNotFound},
		"history without chat": {http.MethodGet, chat + "/messages", nil, 400, core.CodeInvalidRequest},
		"history before 0":     {http.MethodGet, chat + "/messages" + query("chatId", string(w.chat), "before", "0"), nil, 400, core.CodeInvalidRequest},
		"history limit words":  {http.MethodGet, chat + "/messages" + query("chatId", string(w.chat), "limit", "many"), nil, 400, core.CodeInvalidRequest},
		"stream after -1":      {http.MethodGet, chat + "/stream" + query("chatId", string(w.chat), "after", "-1"), nil, 400, core.CodeInvalidRequest},
		"stream of nobody":     {http.MethodGet, chat + "/stream" + query("chatId", string(nobody)), nil, 404, core.CodeNotFound},
		"stop of nobody":       {http.MethodPost, chat + "/stop", map[string]any{"chatId": nobody}, 404, core.CodeNotFound},
		"chat without mode":    {http.MethodPost, w.path("/chats"), map[string]any{}, 400, core.CodeInvalidRequest},
		"chat with empty mode": {http.MethodPost, w.path("/chats"), map[string]any{"mode": ""}, 400, core.CodeValidationFailed},
		"the last chat":        {http.MethodDelete, w.path("/chats/" + string(w.chat)), nil, 409, core.CodeConflict},
	} {
		if got := w.do(c.method, c.path, c.body); got.status != c.status || got.code() != c.code {
			t.Errorf("%s: got %d %.200s, want %d %s", name, got.status, got.body, c.status, c.code)
		}
	}
}

func TestAProjectWithAPromptRunsWithoutAClient(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			c := program.serve(t).signUp()
			w := &work{caller: c}
			body := map[string]string{"name": "Prompted", "template": "static-html", "prompt": `Change the heading to "Queued".`}
			c.must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(c.workspace)+"/projects", body, &w.Project)
			var chats struct{ Items []core.Chat }
			c.must(http.StatusOK, http.MethodGet, w.path("/chats"), nil, &chats)
			w.chat = chats.Items[0].ID
			response := w.open(t.Context(), http.MethodGet, "/chat/"+string(w.ID)+"/stream"+query("chatId", string(w.chat)), nil)
			defer response.Body.Close()
			all := events(t, response.Body)
			if got := kinds(all); !strings.HasPrefix(got, "user.message") || !strings.HasSuffix(got, "session.task_complete") {
				t.Fatalf("got %s, want a whole run", got)
			}
		})
	}
}

func TestAWorkspaceWithoutAProviderIsToldSoInTheStream(t *testing.T) {
	w := serve(t, t.TempDir(), local.New, map[string]string{"AI_PROVIDER": "none"}).signUp().create("blank")
	all := w.send("hi")
	last := all[len(all)-1]
	if last.kind() != "session.error" || last.data["error"] != "no_provider" || last.data["message"] == "" {
		t.Fatalf("got %v, want no_provider", last.data)
	}
	w.must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(w.workspace)+"/ai-providers", map[string]any{"kind": "demo", "name": "Demo"}, nil)
	if got := kinds(w.send("hi")); !strings.HasSuffix(got, "session.task_complete") {
		t.Fatalf("got %s, want the workspace's own provider to answer", got)
	}
}
