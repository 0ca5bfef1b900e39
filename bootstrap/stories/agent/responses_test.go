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
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/models"
)

// TestAServerWithTheResponsesAPICompletesARun connects a workspace to one that is neither OpenAI's
// nor Azure's: its test finds native tools, and a run writes a file and gets the result back.
func TestAServerWithTheResponsesAPICompletesARun(t *testing.T) {
	returned := make(chan string, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"data":[{"id":"m","max_model_len":65536}]}`)
	})
	mux.HandleFunc("POST /v1/responses", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		asked := string(body)
		code := codeWord.FindString(asked)
		w.Header().Set("Content-Type", "text/event-stream")
		switch {
		case strings.Contains(asked, `"function_call_output"`):
			select {
			case returned <- asked:
			default:
			}
			say(w, "The page is there.")
		case strings.Contains(asked, `"json_schema"`):
			say(w, `{"nonce":"`+code+`"}`)
		case strings.Contains(asked, `"name":"report"`):
			call(w, "report", `{"code":"`+code+`"}`)
		case strings.Contains(asked, `"name":"write_file"`):
			call(w, "write_file", `{"path":"about.html","content":"<!doctype html><title>About</title><h1>About us</h1>"}`)
		default:
			say(w, "Hello.")
		}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	w := storytest.Serve(t, t.TempDir(), local.New, map[string]string{"PRIVATE_NETWORKS": "allow"}).SignUp().Create("static-html")
	var created core.Provider
	providers := "/workspaces/" + string(w.Workspace) + "/ai-providers"
	w.Must(http.StatusCreated, http.MethodPost, providers,
		storytest.Fields{"kind": "responses", "name": "Gateway", "baseUrl": server.URL + "/v1", "apiKey": "k", "defaultModel": "m"}, &created)
	var tested models.TestResult
	w.Must(http.StatusOK, http.MethodPost, providers+"/"+string(created.ID)+"/test", nil, &tested)
	if got := tested.Capabilities; !tested.OK || got == nil || !got.Tools || got.Dialect != core.DialectNative || !got.Schema {
		t.Errorf("got %+v with %+v, want native tools and schemas", tested, got)
	}
	all := w.Send("Make a page about us.")
	if last := storytest.LastOf(all); last["reason"] != "done" {
		t.Fatalf("got %s, ending with %v, want the run done", storytest.Kinds(all), last)
	}
	if got := w.Do(http.MethodGet, w.Path("/files/about.html"), nil); !strings.Contains(string(got.Body), "About us") {
		t.Errorf("got %d %s, want the page", got.Status, got.Body)
	}
	if got := <-returned; !strings.Contains(got, `"call_id":"call-1"`) || strings.Contains(got, "previous_response_id") {
		t.Errorf("got %.2000s, want the call's result, and nothing kept by the server", got)
	}
}

// say answers as the Responses API streams text, and call as it streams a call of a function.
func say(w io.Writer, text string) {
	answer(w, map[string]any{"type": "response.output_text.delta", "output_index": 0, "delta": text})
}

func call(w io.Writer, name, args string) {
	answer(w, map[string]any{"type": "response.output_item.done", "output_index": 0, "item": map[string]any{
		"type": "function_call", "call_id": "call-1", "name": name, "arguments": args,
	}})
}

func answer(w io.Writer, event map[string]any) {
	for _, one := range []map[string]any{event, {"type": "response.completed", "response": map[string]any{"usage": map[string]any{"input_tokens": 9, "output_tokens": 5}}}} {
		line, _ := json.Marshal(one)
		fmt.Fprintf(w, "event: %s\ndata: %s\n\n", one["type"], line)
	}
}
