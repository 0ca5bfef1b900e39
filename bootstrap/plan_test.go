package bootstrap_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/core"
)

// plan reads the chat's plan.
func (w *work) plan() core.Plan {
	w.t.Helper()
	var plan core.Plan
	w.must(http.StatusOK, http.MethodGet, "/plan/"+string(w.ID)+query("chatId", string(w.chat)), nil, &plan)
	return plan
}

// mode is the chat's.
func (w *work) mode() string {
	w.t.Helper()
	var page struct{ Items []core.Chat }
	w.must(http.StatusOK, http.MethodGet, w.path("/chats"), nil, &page)
	return page.Items[0].Mode
}

// content is a file of the project.
func (w *work) content(path string) string {
	w.t.Helper()
	return string(w.do(http.MethodGet, w.path("/files/"+path), nil).body)
}

// stream posts a body and returns the events of the answer.
func (w *work) stream(path string, body any) []event {
	w.t.Helper()
	response := w.open(w.t.Context(), http.MethodPost, path, body)
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		w.t.Fatalf("POST %s: got %d", path, response.StatusCode)
	}
	return events(w.t, response.Body)
}

func TestAPlanIsMadeReadAndCarriedOut(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			w := program.serve(t).signUp().create("static-html")
			plan := "/plan/" + string(w.ID)
			body := map[string]any{"chatId": w.chat}
			for _, got := range []answer{w.do(http.MethodGet, plan+query("chatId", string(w.chat)), nil), w.do(http.MethodPost, plan+"/run", body)} {
				if got.status != http.StatusNotFound || got.code() != core.CodeNotFound {
					t.Fatalf("got %d %s before there is a plan, want 404", got.status, got.body)
				}
			}
			before := w.content("index.html")
			made := w.stream(plan, map[string]any{"chatId": w.chat, "text": `Change the heading to "Bonjour".`})
			if last := made[len(made)-1]; last.kind() != "session.task_complete" || w.mode() != core.ModePlan {
				t.Fatalf("got %s in the mode %s, want a plan made in plan mode", kinds(made), w.mode())
			}
			if w.content("index.html") != before || strings.Contains(kinds(made), "file.changed") {
				t.Fatal("got a change in plan mode")
			}
			got := w.plan()
			if len(got.Steps) == 0 || got.Steps[0].Title == "" || got.RawText == "" {
				t.Fatalf("got %+v, want steps and the raw text", got)
			}
			done := w.stream(plan+"/run", body)
			if first := done[0].data["text"].(string); !strings.Contains(first, got.Steps[0].Title) || w.mode() != core.ModeBuild {
				t.Fatalf("got the message %q in the mode %s, want the plan in build mode", first, w.mode())
			}
			if last := done[len(done)-1]; last.kind() != "session.task_complete" {
				t.Fatalf("got %s, want the plan carried out", kinds(done))
			}
		})
	}
}

func TestPlanModeHasOnlyToolsThatRead(t *testing.T) {
	address := scriptedOllama(t, [][2]string{
		{"write_file", `{"path":"evil.txt","content":"x"}`}, {"delete_file", `{"path":"index.html"}`},
		{"run_command", `{"command":"touch evil.txt"}`}, {"read_file", `{"path":"index.html"}`},
	})
	w := serve(t, t.TempDir(), local.New, map[string]string{"AI_PROVIDER": "ollama", "OLLAMA_HOST": address, "AI_MODEL": "m"}).signUp().create("static-html")
	made := w.stream("/plan/"+string(w.ID), map[string]any{"chatId": w.chat, "text": "Plan."})
	refused, read := 0, 0
	for _, e := range made {
		switch e.kind() {
		case "tool.error":
			refused++
		case "tool.result":
			read++
		}
	}
	if refused != 3 || read != 1 {
		t.Fatalf("got %d refused and %d carried out in %s, want the three that change refused", refused, read, kinds(made))
	}
	if got := w.do(http.MethodGet, w.path("/files/evil.txt"), nil); got.status != http.StatusNotFound {
		t.Fatalf("got %d, want nothing written", got.status)
	}
}
