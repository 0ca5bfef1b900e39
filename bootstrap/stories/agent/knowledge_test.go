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
	"github.com/atelierhq/atelier/core"
)

// listeningOllama is a model that says one word and keeps what it was asked.
func listeningOllama(t *testing.T) (address string, asked func() string) {
	t.Helper()
	var mu sync.Mutex
	var last string
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"capabilities":["completion","tools"],"model_info":{"x.context_length":131072}}`)
	})
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"models":[{"name":"m","model":"m"}]}`)
	})
	mux.HandleFunc("POST /api/chat", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		last = string(body)
		mu.Unlock()
		_, _ = io.WriteString(w, `{"model":"m","message":{"role":"assistant","content":"Fine."},"done":true,"done_reason":"stop","prompt_eval_count":50,"eval_count":2}`+"\n")
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL, func() string {
		mu.Lock()
		defer mu.Unlock()
		return last
	}
}

// TestTheWorkspacesKnowledgeReachesTheModel: on both databases, from the next message on.
func TestTheWorkspacesKnowledgeReachesTheModel(t *testing.T) {
	t.Parallel()
	for name, env := range map[string]map[string]string{"SQLite": {}, "PostgreSQL": storytest.Postgres(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, asked := listeningOllama(t)
			env["AI_PROVIDER"], env["AI_MODEL"], env["OLLAMA_HOST"] = "ollama", "m", address
			w := storytest.Serve(t, t.TempDir(), local.New, env).SignUp().Create("static-html")
			place := "/workspaces/" + string(w.Workspace) + "/knowledge"
			var got struct{ Text string }
			w.Must(http.StatusOK, http.MethodGet, place, nil, &got)
			if w.Send("Hello."); got.Text != "" || strings.Contains(asked(), "Our brand") {
				t.Errorf("got the knowledge %q before somebody wrote it", got.Text)
			}
			w.Must(http.StatusOK, http.MethodPut, place, storytest.Fields{"text": "Our brand is green."}, &got)
			if w.Send("Hello again."); got.Text != "Our brand is green." || !strings.Contains(asked(), "Our brand is green.") {
				t.Errorf("got %q and asked %.300q, want the model told", got.Text, asked())
			}
			w.Must(http.StatusOK, http.MethodPut, place, storytest.Fields{"text": ""}, &got)
			if w.Send("And again."); !strings.Contains(asked(), "The workspace does not tell you anything any more.") {
				t.Errorf("got asked %.300q, want the model told that it is over", asked())
			}
			for text, body := range map[string]any{"too long": storytest.Fields{"text": strings.Repeat("x", core.MaxKnowledgeBytes+1)}, "none": storytest.Fields{}, "a member too many": storytest.Fields{"text": "", "name": "x"}} {
				if answer := w.Do(http.MethodPut, place, body); answer.Status != http.StatusBadRequest {
					t.Errorf("%s: got %d %s, want 400", text, answer.Status, answer.Body)
				}
			}
		})
	}
}
