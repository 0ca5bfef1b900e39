package agent_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// planOf reads the chat's plan.
func planOf(w *storytest.Work) core.Plan {
	w.T.Helper()
	var plan core.Plan
	w.Must(http.StatusOK, http.MethodGet, "/plan/"+string(w.ID)+storytest.Query("chatId", string(w.Chat)), nil, &plan)
	return plan
}

// mode is the chat's.
func mode(w *storytest.Work) string {
	w.T.Helper()
	var page struct{ Items []core.Chat }
	w.Must(http.StatusOK, http.MethodGet, w.Path("/chats"), nil, &page)
	return page.Items[0].Mode
}

// content is a file of the project.
func content(w *storytest.Work, path string) string {
	w.T.Helper()
	return string(w.Do(http.MethodGet, w.Path("/files/"+path), nil).Body)
}

// stream posts a body and returns the events of the answer.
func stream(w *storytest.Work, path string, body any) []storytest.Event {
	w.T.Helper()
	response := w.Open(w.T.Context(), http.MethodPost, path, body)
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		w.T.Fatalf("POST %s: got %d", path, response.StatusCode)
	}
	return storytest.Events(w.T, response.Body)
}

func TestAPlanIsMadeReadAndCarriedOut(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			w := program.Serve(t).SignUp().Create("static-html")
			plan := "/plan/" + string(w.ID)
			body := map[string]any{"chatId": w.Chat}
			for _, got := range []storytest.Answer{w.Do(http.MethodGet, plan+storytest.Query("chatId", string(w.Chat)), nil), w.Do(http.MethodPost, plan+"/run", body)} {
				if got.Status != http.StatusNotFound || got.Code() != core.CodeNotFound {
					t.Fatalf("got %d %s before there is a plan, want 404", got.Status, got.Body)
				}
			}
			before := content(w, "index.html")
			made := stream(w, plan, map[string]any{"chatId": w.Chat, "text": `Change the heading to "Bonjour".`})
			if last := made[len(made)-1]; last.Kind() != "session.task_complete" || mode(w) != core.ModePlan {
				t.Fatalf("got %s in the mode %s, want a plan made in plan mode", storytest.Kinds(made), mode(w))
			}
			if content(w, "index.html") != before || strings.Contains(storytest.Kinds(made), "file.changed") {
				t.Fatal("got a change in plan mode")
			}
			got := planOf(w)
			if len(got.Steps) == 0 || got.Steps[0].Title == "" || got.RawText == "" {
				t.Fatalf("got %+v, want steps and the raw text", got)
			}
			done := stream(w, plan+"/run", body)
			if first := done[0].Data["text"].(string); !strings.Contains(first, got.Steps[0].Title) || mode(w) != core.ModeBuild {
				t.Fatalf("got the message %q in the mode %s, want the plan in build mode", first, mode(w))
			}
			if last := done[len(done)-1]; last.Kind() != "session.task_complete" {
				t.Fatalf("got %s, want the plan carried out", storytest.Kinds(done))
			}
		})
	}
}

func TestPlanModeHasOnlyToolsThatRead(t *testing.T) {
	address := scriptedOllama(t, [][2]string{
		{"write_file", `{"path":"evil.txt","content":"x"}`}, {"delete_file", `{"path":"index.html"}`},
		{"run_command", `{"command":"touch evil.txt"}`}, {"read_file", `{"path":"index.html"}`},
	})
	w := storytest.Serve(t, t.TempDir(), local.New, map[string]string{"AI_PROVIDER": "ollama", "OLLAMA_HOST": address, "AI_MODEL": "m"}).SignUp().Create("static-html")
	made := stream(w, "/plan/"+string(w.ID), map[string]any{"chatId": w.Chat, "text": "Plan."})
	refused, read := 0, 0
	for _, e := range made {
		switch e.Kind() {
		case "tool.error":
			refused++
		case "tool.result":
			read++
		}
	}
	if refused != 3 || read != 1 {
		t.Fatalf("got %d refused and %d carried out in %s, want the three that change refused", refused, read, storytest.Kinds(made))
	}
	if got := w.Do(http.MethodGet, w.Path("/files/evil.txt"), nil); got.Status != http.StatusNotFound {
		t.Fatalf("got %d, want nothing written", got.Status)
	}
}
