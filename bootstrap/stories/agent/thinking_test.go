package agent_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
)

// thoughtfulOllama has a model "deep" that thinks and lists the files first, and a model "plain"
// that cannot think. It keeps what it is asked.
type thoughtfulOllama struct {
	mu    sync.Mutex
	asked []string
}

func (o *thoughtfulOllama) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	deep := strings.Contains(string(body), `"model":"deep"`)
	switch r.URL.Path {
	case "/api/tags":
		_, _ = io.WriteString(w, `{"models":[{"name":"deep","model":"deep"},{"name":"plain","model":"plain"}]}`)
	case "/api/show":
		abilities := `"completion","tools"`
		if deep {
			abilities += `,"thinking"`
		}
		_, _ = io.WriteString(w, `{"capabilities":[`+abilities+`],"model_info":{"x.context_length":131072}}`)
	case "/api/chat":
		o.mu.Lock()
		o.asked = append(o.asked, string(body))
		o.mu.Unlock()
		said := `"content":"Fine."`
		if deep && !strings.Contains(string(body), `"role":"tool"`) {
			said = `"thinking":"Let me look.","content":"","tool_calls":[{"id":"c1","function":{"name":"list_files","arguments":{}}}]`
		}
		_, _ = io.WriteString(w, `{"message":{"role":"assistant",`+said+`},"done":false}`+"\n"+`{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":50,"eval_count":2}`+"\n")
	}
}

// send has a chat in the mode answer, and returns what the model was asked.
func (o *thoughtfulOllama) send(t *testing.T, w *storytest.Work) []string {
	t.Helper()
	return o.during(func() {
		if last := storytest.LastOf(w.Send("Look.")); last["type"] != "session.task_complete" {
			t.Fatalf("got %v, want a good run", last)
		}
	})
}

// during returns what the model was asked meanwhile.
func (o *thoughtfulOllama) during(act func()) []string {
	o.mu.Lock()
	before := len(o.asked)
	o.mu.Unlock()
	act()
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.asked[before:]
}

// TestAModeSaysHowMuchItsModelThinks: the model is asked for it, and gets its thoughts back with
// their calls. A model that cannot think is asked nothing, and neither is one of another mode.
func TestAModeSaysHowMuchItsModelThinks(t *testing.T) {
	t.Parallel()
	for name, env := range map[string]map[string]string{"SQLite": {}, "PostgreSQL": storytest.Postgres(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			vendor := &thoughtfulOllama{}
			server := httptest.NewServer(vendor)
			t.Cleanup(server.Close)
			env["AI_PROVIDER"], env["AI_MODEL"], env["OLLAMA_HOST"] = "ollama", "deep", server.URL
			person := storytest.Serve(t, t.TempDir(), local.New, env).SignUp()
			modes := "/workspaces/" + string(person.Workspace) + "/modes"
			var made struct{ Thinking string }
			person.Must(http.StatusCreated, http.MethodPost, modes, storytest.Fields{"name": "careful", "prompt": "Think.", "tools": []string{"list_files"}, "thinking": "high"}, &made)
			w := person.Create("static-html")
			inMode := func(changes storytest.Fields) []string {
				w.Must(http.StatusOK, http.MethodPatch, modes+"/careful", changes, nil)
				return vendor.send(t, w)
			}
			if asked := vendor.send(t, w); strings.Contains(strings.Join(asked, ""), `"think":`) {
				t.Errorf("got %s, want nothing asked in a mode that leaves it to the model", asked)
			}
			w.Must(http.StatusOK, http.MethodPatch, w.Path("/chats/"+string(w.Chat)), storytest.Fields{"mode": "careful"}, nil)
			if asked := inMode(storytest.Fields{}); made.Thinking != "high" || !strings.Contains(asked[0], `"think":true`) || !strings.Contains(asked[len(asked)-1], `"thinking":"Let me look."`) {
				t.Errorf("got %q and %s, want thinking asked for, and its thought given back", made.Thinking, asked)
			}
			if asked := inMode(storytest.Fields{"thinking": "off"}); !strings.Contains(asked[0], `"think":false`) {
				t.Errorf("got %s, want no thinking", asked)
			}
			if asked := inMode(storytest.Fields{"thinking": "high", "model": "plain"}); strings.Contains(strings.Join(asked, ""), `"think":`) {
				t.Errorf("got %s, want nothing asked of a model that cannot think", asked)
			}
			if asked := inMode(storytest.Fields{"thinking": nil, "model": nil}); strings.Contains(strings.Join(asked, ""), `"think":`) {
				t.Errorf("got %s, want it left to the model", asked)
			}
			said := func(thinking string) storytest.Fields {
				return storytest.Fields{"chatId": w.Chat, "text": "Look.", "thinking": thinking}
			}
			if asked := vendor.during(func() { w.Do(http.MethodPost, "/chat/"+string(w.ID)+"/messages", said("off")) }); !strings.Contains(asked[0], `"think":false`) {
				t.Errorf("got %s, want no thinking for a message that says so", asked)
			}
			if answer := w.Do(http.MethodPost, "/chat/"+string(w.ID)+"/messages", said("hard")); answer.Status != http.StatusBadRequest || !strings.Contains(string(answer.Body), "thinking") {
				t.Errorf("got %d %s, want the word refused", answer.Status, answer.Body)
			}
			if answer := w.Do(http.MethodPatch, modes+"/careful", storytest.Fields{"thinking": "hard"}); answer.Status != http.StatusBadRequest {
				t.Errorf("got %d %s, want 400", answer.Status, answer.Body)
			}
		})
	}
}
