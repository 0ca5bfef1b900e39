package agent_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
)

// leakyServer is an OpenAI-compatible server that leaves thoughts and calls in the text of its answers, as
// local servers do without the parser of their model. Each step is in another model's form.
func leakyServer(t *testing.T) (address string, natives func() int) {
	t.Helper()
	asked := 0
	mux := http.NewServeMux()
	mux.HandleFunc("POST /chat/completions", func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Messages []struct {
				Role      string
				ToolCalls []json.RawMessage `json:"tool_calls"`
			}
			Tools []json.RawMessage
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
		}
		results, calls := 0, 0
		for _, m := range in.Messages {
			calls += len(m.ToolCalls)
			if m.Role == "tool" {
				results++
			}
		}
		if results != calls {
			t.Errorf("got %d results of %d calls in a request, want one each", results, calls)
		}
		if len(in.Tools) > 0 {
			asked = max(asked, calls)
		}
		said := []string{
			"<think>\nFirst I look.\n</think>\n\nI look at it.\n<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"file_path\": \"index.html\"}}\n</tool_call>",
			"<tool_call>\n<function=write_file>\n<parameter=path>\nabout.html\n</parameter>\n<parameter=content>\n" + aboutPage + "\n</parameter>\n</function>\n</tool_call>",
			"[TOOL_CALLS]write_file[ARGS]{\"path\": \"notes.md\", \"content\": \"done\\n\"}",
			"The page is there.",
		}[min(results, 3)]
		for said != "" {
			piece := said[:min(9, len(said))]
			said = said[len(piece):]
			data, err := json.Marshal(map[string]any{"choices": []any{map[string]any{"delta": map[string]string{"content": piece}}}})
			if err != nil {
				t.Error(err)
			}
			_, _ = fmt.Fprintf(w, "data: %s\n\n", data)
		}
		_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL, func() int { return asked }
}

func TestCallsThatAServerLeavesInTheTextAreCarriedOut(t *testing.T) {
	address, natives := leakyServer(t)
	s := storytest.Serve(t, t.TempDir(), local.New, map[string]string{"AI_PROVIDER": "openai", "AI_BASE_URL": address, "AI_MODEL": "qwen3-coder", "AI_API_KEY": "k"})
	w := s.SignUp().Create("static-html")
	said, thought := "", ""
	for _, e := range w.Send("Make a page about us.") {
		switch e.Kind() {
		case "assistant.message_delta":
			said += e.Data["delta"].(string)
		case "assistant.reasoning_delta":
			thought += e.Data["delta"].(string)
		case "tool.error":
			t.Errorf("got the error %v, want each call understood", e.Data)
		}
	}
	if strings.ContainsAny(said, "<[{") || !strings.Contains(said, "The page is there.") {
		t.Errorf("got %q said, want words alone", said)
	}
	if !strings.Contains(thought, "First I look.") {
		t.Errorf("got the thought %q, want what the model thought", thought)
	}
	if got := w.Files()["about.html"]; got != aboutPage {
		t.Errorf("got the page %q", got)
	}
	if got := w.Files()["notes.md"]; got != "done\n" {
		t.Errorf("got the notes %q", got)
	}
	if natives() != 3 {
		t.Errorf("got %d calls given back as calls, want three", natives())
	}
}
