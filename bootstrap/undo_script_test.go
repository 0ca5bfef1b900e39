package bootstrap_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// screenplay is a model server that answers each message with the script that the message
// names. How far a script is stands in the conversation.
type screenplay struct {
	scripts map[string][]toolCall
	// before, when set, is called before the model makes a script's call.
	before func(message string, step int)
}

// toolCall is a call of a tool: its name, and its arguments by name.
type toolCall struct {
	tool string
	args map[string]string
}

func calls(tool string, args ...string) toolCall {
	c := toolCall{tool, map[string]string{}}
	for i := 0; i+1 < len(args); i += 2 {
		c.args[args[i]] = args[i+1]
	}
	return c
}

// editing are the calls that change one place in a file.
func editing(path, old, new string) []toolCall {
	return []toolCall{calls("read_file", "path", path), calls("edit_file", "path", path, "oldText", old, "newText", new)}
}

// env starts the server and returns the settings that make it the service's model.
func (p *screenplay) env(t testing.TB) map[string]string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"capabilities":["completion","tools"],"model_info":{"x.context_length":131072}}`)
	})
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"models":[{"name":"m","model":"m"}]}`)
	})
	mux.HandleFunc("POST /api/chat", p.answer)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return map[string]string{"AI_PROVIDER": "ollama", "OLLAMA_HOST": server.URL, "AI_MODEL": "m"}
}

func (p *screenplay) answer(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Messages []struct {
			Role, Content string
			ToolCalls     []json.RawMessage `json:"tool_calls"`
		}
	}
	if json.NewDecoder(r.Body).Decode(&asked) != nil {
		// Whoever asked was killed.
		return
	}
	message, step := "", 0
	for _, m := range asked.Messages {
		if _, known := p.scripts[m.Content]; m.Role == "user" && known {
			message, step = m.Content, 0
		}
		step += len(m.ToolCalls)
	}
	if p.before != nil {
		p.before(message, step)
	}
	answer := map[string]any{"role": "assistant", "content": "Done."}
	if script := p.scripts[message]; step < len(script) {
		call := map[string]any{"id": core.NewID(), "function": map[string]any{"name": script[step].tool, "arguments": script[step].args}}
		answer = map[string]any{"role": "assistant", "content": "", "tool_calls": []any{call}}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"model": "m", "message": answer, "done": false})
	_, _ = io.WriteString(w, `{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":10,"eval_count":5}`+"\n")
}

// put writes a file as a person does.
func (w *work) put(path, content string) {
	w.t.Helper()
	if got := w.do(http.MethodPut, w.path("/files/"+path), strings.NewReader(content)); got.status != http.StatusOK && got.status != http.StatusCreated {
		w.t.Fatalf("put %s: got %d %s", path, got.status, got.body)
	}
}

// wantFiles compares files with their contents; "-" stands for none.
func (w *work) wantFiles(pairs ...string) {
	w.t.Helper()
	for i := 0; i+1 < len(pairs); i += 2 {
		got := w.do(http.MethodGet, w.path("/files/"+pairs[i]), nil)
		if content := string(got.body); (got.status == http.StatusNotFound) != (pairs[i+1] == "-") || got.status == http.StatusOK && content != pairs[i+1] {
			w.t.Errorf("%s: got %d %q, want %q", pairs[i], got.status, content, pairs[i+1])
		}
	}
}

// versions lists the project's versions, the newest first, without the first of all.
func (w *work) versions() []core.Version {
	w.t.Helper()
	var page struct{ Items []core.Version }
	w.must(http.StatusOK, http.MethodGet, w.path("/versions"), nil, &page)
	return page.Items[:len(page.Items)-1]
}

// wantVersions compares the versions with words like "agent 2 Make it blue".
func (w *work) wantVersions(want ...string) {
	w.t.Helper()
	var got []string
	for _, v := range w.versions() {
		got = append(got, fmt.Sprintf("%s %d %s", v.Author.Kind, v.FilesChanged, v.Message))
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		w.t.Errorf("got the versions %q, want %q", got, want)
	}
}

// changedIn returns the paths that a version changed, sorted.
func (w *work) changedIn(version string) string {
	w.t.Helper()
	var paths []string
	_, changes, err := w.app.Pipeline.Changes(w.t.Context(), w.ID, version)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, change := range changes {
		paths = append(paths, change.Path.String())
	}
	return strings.Join(paths, " ")
}

// run sends a message, waits for its run's end, and returns its version.
func (w *work) run(message string) string {
	w.t.Helper()
	all := w.send(message)
	if last := lastOf(all); last["reason"] != "done" {
		w.t.Fatalf("got %s, ending with %v, want the run done", kinds(all), last)
	}
	for _, e := range all {
		if e.kind() == "tool.error" {
			w.t.Fatalf("got %v, want every call to work", e.data)
		}
		if e.kind() == "version.created" {
			return e.data["versionId"].(string)
		}
	}
	w.t.Fatalf("got %s, want a version", kinds(all))
	return ""
}

func (w *work) undo(version string) answer {
	w.t.Helper()
	return w.do(http.MethodPost, w.path("/versions/"+version+"/undo"), nil)
}

// mustUndo undoes a version and checks what came of it.
func (w *work) mustUndo(version, asked string, files int) core.Version {
	w.t.Helper()
	name := ""
	for _, known := range w.versions() {
		if known.ID == version {
			name = known.Message
		}
	}
	if name == "" || strings.Contains(name, strings.TrimSuffix(asked, ".")+".") {
		w.t.Errorf("got a version called %q, want what changed and no word of %q, which was asked for in the chat", name, asked)
	}
	var made core.Version
	w.must(http.StatusCreated, http.MethodPost, w.path("/versions/"+version+"/undo"), nil, &made)
	if made.Message != "Undo: "+name || made.Author.Kind != core.AuthorUser || made.FilesChanged != files || made.ChatID != nil {
		w.t.Errorf("got %+v, want the undoing of %q in %d files", made, name, files)
	}
	return made
}
