package agent_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// sloppyOllama writes two files, the second with a type error, and says that it is done. Told of it at
// the end, it mends the file. heard is what the result of the second write said.
type sloppyOllama struct {
	mu          sync.Mutex
	heard, told string
}

const badType = "export const size: number = 'wide';\n"

func (o *sloppyOllama) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/api/tags":
		_, _ = w.Write([]byte(`{"models":[{"name":"m","model":"m"}]}`))
		return
	case "/api/show":
		_, _ = w.Write([]byte(`{"capabilities":["completion","tools"],"model_info":{"x.context_length":131072}}`))
		return
	}
	var asked struct {
		Messages []struct{ Role, Content string }
	}
	if json.NewDecoder(r.Body).Decode(&asked) != nil {
		return
	}
	last := asked.Messages[len(asked.Messages)-1]
	answer := map[string]any{"role": "assistant", "content": "Done."}
	call := func(tool string, args storytest.Fields) {
		answer = map[string]any{"role": "assistant", "content": "", "tool_calls": []any{map[string]any{"id": core.NewID(), "function": map[string]any{"name": tool, "arguments": args}}}}
	}
	switch {
	case last.Role == "user" && strings.Contains(last.Content, "have type errors"):
		o.mu.Lock()
		o.told = last.Content
		o.mu.Unlock()
		call("write_file", storytest.Fields{"path": "src/size.ts", "content": strings.Replace(badType, "'wide'", "3", 1)})
	case last.Role == "user":
		call("write_file", storytest.Fields{"path": "src/first.ts", "content": "export const first = 1;\n"})
	case strings.HasPrefix(last.Content, "src/first.ts"):
		call("write_file", storytest.Fields{"path": "src/size.ts", "content": badType})
	case strings.Contains(last.Content, "type errors"):
		o.mu.Lock()
		o.heard = last.Content
		o.mu.Unlock()
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"model": "m", "message": answer, "done": false})
	_, _ = w.Write([]byte(`{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":10,"eval_count":5}` + "\n"))
}

// TestATypeErrorIsToldToTheModelWhichMendsIt: with the compiler from the public registry, at the
// end of a run whose project builds.
func TestATypeErrorIsToldToTheModelWhichMendsIt(t *testing.T) {
	t.Parallel()
	vendor := &sloppyOllama{}
	server := httptest.NewServer(vendor)
	t.Cleanup(server.Close)
	w := storytest.Serve(t, t.TempDir(), local.New, map[string]string{"AI_PROVIDER": "ollama", "AI_MODEL": "m", "OLLAMA_HOST": server.URL}).SignUp().Create("vite-react")
	var found struct{ Diagnostics []core.Diagnostic }
	// The first check fetches the compiler, which may take longer than a run waits.
	w.Must(http.StatusOK, http.MethodPost, w.Path("/typecheck"), nil, &found)
	// On a busy machine the compiler may take longer than a run waits, which then ends without it.
	for tries := 0; tries < 10 && (vendor.told == "" || vendor.heard == ""); tries++ {
		if last := storytest.LastOf(w.Send("Add a size.")); last["reason"] != "done" {
			t.Errorf("got %v, want the run done", last)
		}
	}
	const wrong = "src/size.ts:1:14: Type 'string' is not assignable to type 'number'."
	if !strings.Contains(vendor.heard, "This file has type errors:\n"+wrong) {
		t.Errorf("got the change answered with %q, want the error of its file", vendor.heard)
	}
	if !strings.Contains(vendor.told, wrong) {
		t.Errorf("got the model told %q, want the compiler's error", vendor.told)
	}
	if got := w.Files()["src/size.ts"]; got != "export const size: number = 3;\n" {
		t.Errorf("got %q, want it mended", got)
	}
	if w.Must(http.StatusOK, http.MethodPost, w.Path("/typecheck"), nil, &found); len(found.Diagnostics) != 0 {
		t.Errorf("got %+v, want no type error left", found.Diagnostics)
	}
}
