package agent_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/inmemory"
	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// commandingOllama is a model that runs one command and is done.
func commandingOllama(t *testing.T, command string) string {
	t.Helper()
	var calls atomic.Int32
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"capabilities":["completion","tools"],"model_info":{}}`)
	})
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"models":[{"name":"m","model":"m"}]}`)
	})
	mux.HandleFunc("POST /api/chat", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		message := map[string]any{"role": "assistant", "content": "Done."}
		if calls.Add(1) == 1 {
			call := map[string]any{"function": map[string]any{"name": "run_command", "arguments": map[string]string{"command": command}}}
			message = map[string]any{"role": "assistant", "content": "", "tool_calls": []any{call}}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"model": "m", "message": message, "done": false})
		_ = json.NewEncoder(w).Encode(map[string]any{
			"model": "m", "message": map[string]any{"role": "assistant", "content": ""}, "done": true, "done_reason": "stop", "prompt_eval_count": 10, "eval_count": 5,
		})
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// commanding sends a message to a model that runs a command, with SANDBOX set, and
// returns the event that came of the call.
func commanding(t *testing.T, dir, mode, command string) (*storytest.Work, []storytest.Event, storytest.Event) {
	t.Helper()
	s := storytest.Serve(t, dir, local.New, map[string]string{
		"AI_PROVIDER": "ollama", "OLLAMA_HOST": commandingOllama(t, command), "AI_MODEL": "m", "SANDBOX": mode,
	})
	w := s.SignUp().Create("static-html")
	all := w.Send("Run it.")
	for _, e := range all {
		if e.Kind() == "tool.result" || e.Kind() == "tool.error" {
			return w, all, e
		}
	}
	t.Fatalf("got %s, want an outcome of the command", storytest.Kinds(all))
	return nil, nil, storytest.Event{}
}

func TestACommandOfTheAgentChangesTheProject(t *testing.T) {
	dir := t.TempDir()
	command := `mkdir -p made && echo hello >made/file.txt && echo "$HOME" && cat .git/config; cat /etc/passwd; echo x >.git/x; env`
	w, all, outcome := commanding(t, dir, "bwrap", command)
	result, _ := outcome.Data["result"].(string)
	if outcome.Kind() != "tool.result" || !strings.Contains(result, "Exit code 0.") || !strings.Contains(result, "made/file.txt created") {
		t.Fatalf("got %v, want the command to work", outcome.Data)
	}
	for _, leak := range []string{"bare = false", "root:", "JWT", dir} {
		if strings.Contains(result, leak) {
			t.Errorf("got %q in %q, want nothing of the host", leak, result)
		}
	}
	got := storytest.Kinds(all)
	if !strings.Contains(got, "file.changed") || !strings.HasSuffix(got, "version.created session.task_complete") {
		t.Errorf("got %s, want the changed file and a version", got)
	}
	var listing []core.FileEntry
	w.Must(http.StatusOK, http.MethodGet, w.Path("/files"), nil, &listing)
	found := false
	for _, entry := range listing {
		found = found || entry.Path.String() == "made/file.txt"
	}
	if content := w.Must(http.StatusOK, http.MethodGet, w.Path("/files/made/file.txt"), nil, nil); !found || string(content.Body) != "hello\n" {
		t.Errorf("got it listed %v with %q, want the file that the command wrote", found, content.Body)
	}
	show := exec.Command("git", "--git-dir", storytest.ProjectDir(dir, w.ID)+"/.git", "show", "main:made/file.txt")
	show.Env = []string{"PATH=/usr/bin:/bin", "HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"}
	if out, err := show.CombinedOutput(); err != nil || string(out) != "hello\n" {
		t.Errorf("got %q, %v in the version, want the file", out, err)
	}
}

func TestSwitchedOffTheCommandAnswersWhy(t *testing.T) {
	w, all, outcome := commanding(t, t.TempDir(), "off", "echo hello >made.txt")
	if text, _ := outcome.Data["error"].(string); outcome.Kind() != "tool.error" || !strings.HasPrefix(text, "sandbox_unavailable: ") {
		t.Errorf("got %v, want sandbox_unavailable", outcome.Data)
	}
	if got := storytest.Kinds(all); !strings.HasSuffix(got, "session.task_complete") || strings.Contains(got, "file.changed") {
		t.Errorf("got %s, want a run that goes on and changes nothing", got)
	}
	w.Must(http.StatusNotFound, http.MethodGet, w.Path("/files/made.txt"), nil, nil)
}

func TestTheFeaturesSayWhetherCommandsRun(t *testing.T) {
	for name, program := range map[string]storytest.Assemble{"local": local.New, "inmemory": inmemory.New} {
		for mode, want := range map[string]bool{"auto": true, "bwrap": true, "unsafe": true, "off": false} {
			var me struct{ Features struct{ Sandbox bool } }
			storytest.Serve(t, t.TempDir(), program, map[string]string{"SANDBOX": mode}).SignUp().Must(http.StatusOK, http.MethodGet, "/auth/me", nil, &me)
			if me.Features.Sandbox != want {
				t.Errorf("%s with SANDBOX=%s: got %v, want %v", name, mode, me.Features.Sandbox, want)
			}
		}
	}
}
