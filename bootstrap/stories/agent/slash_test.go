package agent_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
)

// TestCommandsAndReferencesReachTheModel: on both databases, what any client sends is expanded by
// the service, and what needs no model asks none.
func TestCommandsAndReferencesReachTheModel(t *testing.T) {
	t.Parallel()
	for name, env := range map[string]map[string]string{"SQLite": {}, "PostgreSQL": storytest.Postgres(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, asked := listeningOllama(t)
			env["AI_PROVIDER"], env["AI_MODEL"], env["OLLAMA_HOST"] = "ollama", "m", address
			w := storytest.Serve(t, t.TempDir(), local.New, env).SignUp().Create("static-html")
			place := "/workspaces/" + string(w.Workspace) + "/commands"
			w.Must(http.StatusCreated, http.MethodPost, place, storytest.Fields{"name": "review", "text": "Review $ARGUMENTS with care."}, nil)
			if w.Send("/review the menu"); !strings.Contains(asked(), "Review the menu with care.") {
				t.Errorf("asked %.300q, want the expansion", asked())
			}
			w.Must(http.StatusOK, http.MethodPatch, place+"/review", storytest.Fields{"name": "look", "text": "Look."}, nil)
			if w.Send("/look\nat it"); !strings.Contains(asked(), `Look.\n\nat it`) {
				t.Errorf("asked %.300q, want the words below the text", asked())
			}
			w.Must(http.StatusNoContent, http.MethodDelete, place+"/look", nil, nil)
			if w.Send("/look at it"); !strings.Contains(asked(), `"/look at it"`) {
				t.Errorf("asked %.300q, want a mere text", asked())
			}
			sent := func(path string) storytest.Answer {
				return w.Do(http.MethodPost, "/chat/"+string(w.ID)+"/messages", storytest.Fields{
					"chatId": w.Chat, "text": "Make it red", "references": []any{storytest.Fields{"type": "file", "path": path}, storytest.Fields{"type": "element", "path": "index.html", "tag": "h1", "line": 3, "column": 1}},
				})
			}
			if answer := sent("gone.html"); answer.Status != http.StatusBadRequest || !strings.Contains(string(answer.Body), "references[0].path") {
				t.Errorf("got %d %s, want the file that is not there refused", answer.Status, answer.Body)
			}
			if answer := sent("index.html"); answer.Status != http.StatusOK || !strings.Contains(asked(), "The person picked the \\u003ch1\\u003e at index.html:3:1") || !strings.Contains(asked(), "index.html hash ") {
				t.Errorf("got %d, and asked %.2000s, want the element and the file's text", answer.Status, asked())
			}
			before := asked()
			if w.Send("/check"); asked() != before {
				t.Errorf("asked %.300q, want no model for a project without checks", asked())
			}
		})
	}
}
