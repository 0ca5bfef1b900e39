package storytest

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// Screenplay is a model server that answers each message by the script that the message
// names. The conversation shows how far a script is.
type Screenplay struct {
	Scripts map[string][]ToolCall
	// Before, if set, is called before the model makes a script's call.
	Before func(message string, step int)
	// Other, if set, is the script for the last message if no script has its name.
	Other func(message string) []ToolCall
}

// ToolCall is a call of a tool: its name, and its arguments by name.
type ToolCall struct {
	Tool string
	Args map[string]string
}

// Calls is a call of a tool, with its arguments as names and values.
func Calls(tool string, args ...string) ToolCall {
	c := ToolCall{tool, map[string]string{}}
	for i := 0; i+1 < len(args); i += 2 {
		c.Args[args[i]] = args[i+1]
	}
	return c
}

// pauseText is the answer of Pause.
const pauseText = "I am done, I think."

// Pause is an answer without a call, after which the script goes on if the model is asked again.
func Pause() ToolCall { return ToolCall{} }

// Env starts the server and returns the settings that make it the service's model.
func (p *Screenplay) Env(t testing.TB) map[string]string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"capabilities":["completion","tools"],"model_info":{"x.context_length":131072}}`)
	})
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"models":[{"name":"m","model":"m"}]}`)
	})
	mux.HandleFunc("POST /api/chat", p.Answer)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return map[string]string{"AI_PROVIDER": "ollama", "OLLAMA_HOST": server.URL, "AI_MODEL": "m"}
}

// PersonsWords returns what the person said in a message to the model, without what the agent says
// of the project before it.
func PersonsWords(content string) string {
	if _, words, told := strings.Cut(content, "[The person says:]\n\n"); told {
		return words
	}
	return content
}

// Answer makes the next call of the script that the conversation names.
func (p *Screenplay) Answer(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Messages []struct {
			Role, Content string
			ToolCalls     []json.RawMessage `json:"tool_calls"`
		}
	}
	if json.NewDecoder(r.Body).Decode(&asked) != nil {
		// The client was killed.
		return
	}
	message, step := "", 0
	var other []ToolCall
	for _, m := range asked.Messages {
		words := PersonsWords(m.Content)
		if _, known := p.Scripts[words]; m.Role == "user" && known {
			message, step, other = words, 0, nil
		} else if m.Role == "user" && p.Other != nil {
			message, step, other = words, 0, p.Other(words)
		}
		step += len(m.ToolCalls)
		if m.Role == "assistant" && m.Content == pauseText {
			step++
		}
	}
	if p.Before != nil {
		p.Before(message, step)
	}
	answer := map[string]any{"role": "assistant", "content": "Done."}
	script := p.Scripts[message]
	if other != nil {
		script = other
	}
	if step < len(script) && script[step].Tool == "" {
		answer["content"] = pauseText
	} else if step < len(script) {
		call := map[string]any{"id": core.NewID(), "function": map[string]any{"name": script[step].Tool, "arguments": script[step].Args}}
		answer = map[string]any{"role": "assistant", "content": "", "tool_calls": []any{call}}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"model": "m", "message": answer, "done": false})
	_, _ = io.WriteString(w, `{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":10,"eval_count":5}`+"\n")
}

// Run sends a message, waits for its run's end, and returns its version.
func (w *Work) Run(message string) string {
	w.T.Helper()
	all := w.Send(message)
	if last := LastOf(all); last["reason"] != "done" {
		w.T.Fatalf("got %s, ending with %v, want the run done", Kinds(all), last)
	}
	for _, e := range all {
		if e.Kind() == "tool.error" {
			w.T.Fatalf("got %v, want every call to work", e.Data)
		}
		if e.Kind() == "version.created" {
			return e.Data["versionId"].(string)
		}
	}
	w.T.Fatalf("got %s, want a version", Kinds(all))
	return ""
}
