package agent_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

const platformKey = "sk-platform-0123456789-secret-abcd"

// keyedModel speaks as OpenAI does to those who bring platformKey.
func keyedModel(t testing.TB) (baseURL string) {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"gpt-4o"}]}`)
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.Header.Get("Authorization") != "Bearer "+platformKey {
			http.Error(w, "wrong key", http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"Well"},"finish_reason":"stop"}]}`+"\n\n")
		fmt.Fprintf(w, `data: {"choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d}}`+"\n\ndata: [DONE]\n\n", promptTokens, answerTokens)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// lines keeps a service's log.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(line)
}

// onPlatform plays a story on both databases, without a provider in the settings. The caller is the
// admin of the installation; seen is everything that the service logged.
func onPlatform(t *testing.T, limit string, story func(t *testing.T, admin *storytest.Caller, dir string, seen *lines)) {
	for name, more := range map[string]func(testing.TB) map[string]string{
		"SQLite": func(testing.TB) map[string]string { return nil }, "PostgreSQL": storytest.Postgres,
	} {
		t.Run(name, func(t *testing.T) {
			env := map[string]string{"AI_PROVIDER": "none", "PRIVATE_NETWORKS": "allow", "WORKSPACE_CREDIT_LIMIT": limit}
			maps.Copy(env, more(t))
			dir, seen := t.TempDir(), new(lines)
			logging := func(ctx context.Context, s settings.Settings, _ *slog.Logger) (*bootstrap.App, func(), error) {
				return local.New(ctx, s, slog.New(slog.NewTextHandler(seen, &slog.HandlerOptions{Level: slog.LevelDebug})))
			}
			story(t, storytest.Serve(t, dir, logging, env).SignUp(), dir, seen)
		})
	}
}

// ask sends a message to a model and checks the code at its end.
func ask(t *testing.T, w *storytest.Work, what, model string, code core.Code) {
	t.Helper()
	response := w.Open(t.Context(), http.MethodPost, "/chat/"+string(w.ID)+"/messages", map[string]any{"chatId": w.Chat, "text": "Hello", "model": model})
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatalf("%s: got %d, want a stream", what, response.StatusCode)
	}
	wantEnd(t, what, storytest.Events(t, response.Body), code)
}

func TestThePlatformsProvidersServeEveryWorkspace(t *testing.T) {
	onPlatform(t, "0.1", func(t *testing.T, admin *storytest.Caller, dir string, seen *lines) {
		person := admin.SignUp()
		w := person.Create("static-html")
		ask(t, w, "without any provider", "", core.CodeNoProvider)
		input := map[string]any{"kind": "openai", "name": "Company", "baseUrl": keyedModel(t), "apiKey": platformKey, "defaultModel": "gpt-4o"}
		person.Refused(http.StatusForbidden, core.CodeForbidden, http.MethodPost, "/admin/ai-providers", input)
		person.Refused(http.StatusForbidden, core.CodeForbidden, http.MethodGet, "/admin/ai-providers", nil)

		var made core.PlatformProvider
		answers := admin.Must(http.StatusCreated, http.MethodPost, "/admin/ai-providers", input, &made).Body
		if !made.IsDefault || !made.Enabled || !made.HasKey {
			t.Fatalf("got %s, want it on, and the default", answers)
		}
		own := "/admin/ai-providers/" + string(made.ID)
		var test struct{ OK bool }
		admin.Must(http.StatusOK, http.MethodPost, own+"/test", nil, &test)
		if !test.OK {
			t.Error("the test: got a failure, want it to work with the key")
		}

		space := "/workspaces/" + string(person.Workspace) + "/ai-providers"
		var list struct {
			Items, Platform []struct{ ID, Name string }
			DefaultKind     string
		}
		answers = append(answers, person.Must(http.StatusOK, http.MethodGet, space, nil, &list).Body...)
		if len(list.Items) != 0 || len(list.Platform) != 1 || list.Platform[0].Name != "Company" || list.DefaultKind != "openai" {
			t.Fatalf("got %+v, want the platform's provider offered", list)
		}
		var offered struct{ Items []struct{ ID string } }
		person.Must(http.StatusOK, http.MethodGet, space+"/"+string(made.ID)+"/models", nil, &offered)
		if len(offered.Items) != 1 || offered.Items[0].ID != "gpt-4o" {
			t.Fatalf("got %+v, want its models", offered)
		}

		ask(t, w, "with the platform's", string(made.ID)+"/gpt-4o", "")
		used := person.Usage()
		charged, err := w.App.Store.Tables().Usage.Charged(t.Context(), person.User.ID)
		if err != nil || used.CreditUsed < callCost-1e-9 || charged < callCost-1e-9 {
			t.Errorf("got %.4f USD of the workspace and %.4f of the person, %v, want %.4f of both", used.CreditUsed, charged, err, callCost)
		}
		ask(t, w, "beyond the credit", "", core.CodeCreditExhausted)
		if spent := admin.Usage().CreditUsed; spent != 0 {
			t.Errorf("got %.4f USD booked for the admin, want nothing for the test", spent)
		}

		admin.Must(http.StatusOK, http.MethodPatch, own, map[string]any{"enabled": false}, nil)
		ask(t, w, "switched off", string(made.ID)+"/gpt-4o", core.CodeNoProvider)
		ask(t, w, "switched off, without a default", "", core.CodeNoProvider)
		person.Refused(http.StatusNotFound, core.CodeNotFound, http.MethodGet, space+"/"+string(made.ID)+"/models", nil)

		for _, path := range []string{"/admin/ai-providers", "/admin/audit", "/auth/me/export"} {
			answers = append(answers, admin.Must(http.StatusOK, http.MethodGet, path, nil, nil).Body...)
		}
		for _, action := range []string{"instance.ai_provider_created", "instance.ai_provider_updated"} {
			if !bytes.Contains(answers, []byte(action)) {
				t.Errorf("the instance's log lacks %s", action)
			}
		}
		wantNowhere(t, dir, seen, answers)
		admin.Must(http.StatusNoContent, http.MethodDelete, own, nil, nil)
		ask(t, w, "deleted", string(made.ID)+"/gpt-4o", core.CodeNoProvider)
	})
}

// wantNowhere looks for the key in answers, the log, and the data directory, of which backups are
// made.
func wantNowhere(t *testing.T, dir string, seen *lines, answers []byte) {
	t.Helper()
	places := map[string]string{"answers": string(answers)}
	seen.mu.Lock()
	places["the log"] = seen.text.String()
	seen.mu.Unlock()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		places[path] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for place, text := range places {
		if strings.Contains(text, platformKey) {
			t.Errorf("the key is in %s", place)
		}
	}
}
