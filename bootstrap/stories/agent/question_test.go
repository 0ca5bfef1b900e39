package agent_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
)

const threeSteps = `{"items":[{"text":"Look","state":"done"},{"text":"Choose","state":"doing"},{"text":"Build","state":"open"}]}`

// TestAQuestionWaitsThroughAKill: the run that asked has ended, so nothing waits but the
// log, and a message after the restart is the answer.
func TestAQuestionWaitsThroughAKill(t *testing.T) {
	t.Parallel()
	address := scriptedOllama(t, [][2]string{
		{"todo", threeSteps}, {"write_file", `{"path":"a.txt","content":"a"}`},
		{"ask_person", `{"question":"Which colour?","choices":["Blue","Red"]}`}, {"write_file", `{"path":"b.txt","content":"b"}`},
	})
	service := process.Start(t, process.Build(t), "AI_PROVIDER=ollama", "OLLAMA_HOST="+address, "AI_MODEL=m")
	w := (&storytest.Site{T: t, URL: service.URL, Client: storytest.LocalClient()}).SignUp().Create("static-html")
	asked := w.Send("Go.")
	last := asked[len(asked)-1]
	if got := fmt.Sprint(last.Data["question"]); last.Kind() != "session.task_complete" || last.Data["reason"] != "asked" || got != "map[choices:[Blue Red] text:Which colour?]" {
		t.Fatalf("got %v, want the question", last.Data)
	}
	if got := storytest.Kinds(asked); !strings.Contains(got, "version.created") || content(w, "a.txt") != "a" {
		t.Errorf("got %s, want what was done so far in a version", got)
	}
	service.Kill()
	w.Client.CloseIdleConnections()
	service.Restart()
	w.WaitIdle()
	if log := w.History(); len(log) != len(asked) || log[len(log)-1]["reason"] != "asked" {
		t.Errorf("got %d events, the last %v, want the %d and the question last", len(log), log[len(log)-1], len(asked))
	}
	w.Must(http.StatusAccepted, http.MethodPost, "/chat/"+string(w.ID)+"/stop", map[string]any{"chatId": w.Chat}, nil)
	done := w.Send("Neither: green.")
	if end := done[len(done)-1]; end.Data["reason"] != "done" || end.Data["question"] != nil || content(w, "b.txt") != "b" {
		t.Errorf("got %v, want the run to continue with the answer", end.Data)
	}
}
