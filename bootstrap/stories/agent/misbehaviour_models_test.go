package agent_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
)

// rogues is a server of models in all three protocols. A model misbehaves as the play
// of its name says.
type rogues struct {
	t   testing.TB
	url string

	mu    sync.Mutex
	plays map[string]*rogueRun
}

func serveRogues(t testing.TB) *rogues {
	t.Helper()
	r := &rogues{t: t, plays: map[string]*rogueRun{}}
	mux := http.NewServeMux()
	document := func(pattern, text string) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) })
	}
	document("GET /api/tags", `{"models":[{"name":"m","model":"m"}]}`)
	document("POST /api/show", `{"capabilities":["completion","tools"],"model_info":{"x.context_length":32768}}`)
	document("GET /v1/models", `{"data":[{"id":"m"}]}`)
	for path, kind := range map[string]core.ProviderKind{
		"POST /api/chat": core.ProviderOllama, "POST /v1/chat/completions": core.ProviderOpenAI, "POST /v1/messages": core.ProviderAnthropic,
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, request *http.Request) { r.answer(w, request, kind) })
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	r.url = server.URL
	return r
}

// env returns the settings of a service with a provider of the kind.
func (r *rogues) env(kind core.ProviderKind) map[string]string {
	base := r.url
	if kind == core.ProviderOpenAI {
		base += "/v1"
	}
	return map[string]string{
		"AI_PROVIDER": string(kind), "AI_BASE_URL": base, "OLLAMA_HOST": r.url, "AI_MODEL": "m", "AI_API_KEY": "k", "SANDBOX": "off",
	}
}

func (r *rogues) add(model string, p *rogueRun) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.plays[model] = p
}

// answer makes one model call, behind the person's next edit.
func (r *rogues) answer(w http.ResponseWriter, request *http.Request, kind core.ProviderKind) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return
	}
	var named struct{ Model string }
	_ = json.Unmarshal(body, &named)
	r.mu.Lock()
	p := r.plays[named.Model]
	r.mu.Unlock()
	if p == nil {
		r.t.Errorf("got a call of the model %q, want one of a play", named.Model)
		return
	}
	conversation := conversationOf(p.t, kind, body)
	for _, fault := range faultsOf(conversation, body) {
		p.t.Errorf("the service sent a conversation that %s refuses: %s", kind, fault)
	}
	now := &turn{rogueRun: p, wire: wires()[kind], w: w, request: request, heard: conversation}
	now.n = p.next()
	if now.n == 1 {
		p.edit(humanFile, "My own notes.\n")
	}
	if now.n > 0 && now.n <= humanEdits {
		p.edit(humanDiary, fmt.Sprintf("Day %d.\n", now.n))
	}
	if now.n == 0 {
		now.says("Calm again.")
		return
	}
	p.answer(now)
}

// modelMessage is a message as a model gets it, whatever the protocol.
type modelMessage struct {
	role    string
	text    string
	calls   []heardCall
	answers []string
}

type heardCall struct {
	id   string
	args json.RawMessage
}

// conversationOf reads a request's messages.
func conversationOf(t testing.TB, kind core.ProviderKind, body []byte) []modelMessage {
	var in struct {
		Messages []struct {
			Role    string
			Content json.RawMessage
			Calls   []struct {
				ID       string
				Function struct{ Arguments json.RawMessage }
			} `json:"tool_calls"`
			CallID string `json:"tool_call_id"`
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		t.Errorf("a request is no JSON: %v", err)
	}
	var all []modelMessage
	for _, message := range in.Messages {
		out := modelMessage{role: message.Role}
		if json.Unmarshal(message.Content, &out.text) != nil {
			out.readBlocks(t, message.Content)
		}
		if message.CallID != "" {
			out.answers = append(out.answers, message.CallID)
		}
		for _, call := range message.Calls {
			args := call.Function.Arguments
			if kind == core.ProviderOpenAI {
				var text string
				_ = json.Unmarshal(args, &text)
				args = json.RawMessage(text)
			}
			out.calls = append(out.calls, heardCall{call.ID, args})
		}
		all = append(all, out)
	}
	return all
}

// readBlocks reads content as Anthropic has it.
func (h *modelMessage) readBlocks(t testing.TB, content json.RawMessage) {
	var blocks []struct {
		Type, Text, ID string
		Input          json.RawMessage
		Content        json.RawMessage
		ToolUseID      string `json:"tool_use_id"`
	}
	if err := json.Unmarshal(content, &blocks); err != nil {
		t.Errorf("a message's content is neither text nor blocks: %.200s", content)
	}
	for _, block := range blocks {
		switch block.Type {
		case "tool_use":
			h.calls = append(h.calls, heardCall{block.ID, block.Input})
		case "tool_result":
			h.answers = append(h.answers, block.ToolUseID)
			h.text += string(block.Content)
		default:
			if block.Text == "" {
				t.Error("a block of text is empty, want none: Anthropic refuses it")
			}
			h.text += block.Text
		}
	}
}

// faultsOf returns the reasons for which strict vendors refuse a conversation.
func faultsOf(all []modelMessage, body []byte) []string {
	var faults []string
	if !utf8.Valid(body) {
		faults = append(faults, "it is no UTF-8")
	}
	known, open := map[string]bool{}, map[string]bool{}
	for i, message := range all {
		if len(open) > 0 && len(message.answers) == 0 {
			faults = append(faults, fmt.Sprintf("message %d stands before the results of %d calls", i, len(open)))
		}
		for _, id := range message.answers {
			if !open[id] {
				faults = append(faults, fmt.Sprintf("message %d is the result of the call %q, which is not open", i, id))
			}
			delete(open, id)
		}
		for _, call := range message.calls {
			var object map[string]any
			if json.Unmarshal(call.args, &object) != nil {
				faults = append(faults, fmt.Sprintf("the arguments of the call %q are no object: %.80s", call.id, call.args))
			}
			if known[call.id] || call.id == "" {
				faults = append(faults, fmt.Sprintf("the id %.80q of a call is empty or used twice", call.id))
			}
			known[call.id], open[call.id] = true, true
		}
	}
	if n := len(all); n == 0 || all[n-1].role == "assistant" || len(open) > 0 {
		faults = append(faults, "it does not end with something to answer")
	}
	return faults
}

// turn is one call of a model that misbehaves.
type turn struct {
	*rogueRun
	wire
	w       http.ResponseWriter
	request *http.Request
	// n counts the calls of the play, from 1.
	n int
	// heard is the conversation that was sent.
	heard []modelMessage
	// blocks counts what the answer consists of.
	blocks int
}

// last returns the newest message to the model.
func (t *turn) last() string { return t.heard[len(t.heard)-1].text }

// put writes to the wire immediately. It reports whether the client is still connected.
func (t *turn) put(text string) bool {
	if t.blocks == 0 {
		t.blocks++
		text = t.head + text
	}
	_, err := io.WriteString(t.w, text)
	_ = http.NewResponseController(t.w).Flush()
	return err == nil && t.request.Context().Err() == nil
}

// text writes a piece of the answer, think one of the thoughts before it.
func (t *turn) text(text string) bool  { return t.put(t.wire.text(quoted(text))) }
func (t *turn) think(text string) bool { return t.put(t.wire.think(quoted(text))) }

// call calls a tool with arguments of any form, under an id of its own.
func (t *turn) call(tool string, args any) {
	text, isText := args.(string)
	if !isText {
		body, _ := json.Marshal(args)
		text = string(body)
	}
	t.callAs(fmt.Sprintf("call_%d_%d", t.n, t.blocks), tool, text)
}

func (t *turn) callAs(id, tool, args string) {
	t.put(t.wire.call(t.blocks, quoted(id), quoted(tool), args))
	t.blocks++
}

// end ends the answer in good order.
func (t *turn) end() { t.ends("500", "20") }

// ends ends the answer with counts of tokens in any form.
func (t *turn) ends(input, output string) { t.put(t.wire.end(input, output)) }

// says is a whole answer in text.
func (t *turn) says(text string) {
	t.text(text)
	t.end()
}

// calls is a whole answer that calls one tool.
func (t *turn) calls(tool string, args any) {
	t.call(tool, args)
	t.end()
}

// cut breaks the connection.
func (t *turn) cut() {
	_ = http.NewResponseController(t.w).Flush()
	panic(http.ErrAbortHandler)
}

// quoted encodes a text as JSON and keeps its bytes, even invalid UTF-8.
func quoted(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for i := range len(text) {
		switch b := text[i]; {
		case b == '"' || b == '\\':
			out.WriteString(`\` + string(b))
		case b < ' ':
			fmt.Fprintf(&out, `\u%04x`, b)
		default:
			out.WriteByte(b)
		}
	}
	return out.String() + `"`
}
