package agent_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/anthropic"
	"github.com/atelierhq/atelier/adapters/ollama"
	"github.com/atelierhq/atelier/adapters/openai"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

// protocols are the vendors' own adapters, each to a fake server of its kind.
var protocols = map[string]func(v *vendor) (ai.Provider, error){
	"ollama": func(v *vendor) (ai.Provider, error) {
		return ollama.New(v.client(ollamaWire{}), ai.Settings{BaseURL: "http://vendor.test"})
	},
	"openai": func(v *vendor) (ai.Provider, error) {
		return openai.New(v.client(openaiWire{}), ai.Settings{BaseURL: "http://vendor.test/v1"})
	},
	"openrouter": func(v *vendor) (ai.Provider, error) {
		return openai.New(v.client(openrouterWire{}), ai.Settings{BaseURL: "https://openrouter.ai/api/v1"})
	},
	"anthropic": func(v *vendor) (ai.Provider, error) {
		return anthropic.New(v.client(anthropicWire{}), ai.Settings{BaseURL: "http://vendor.test", Key: "key-of-tests"})
	},
}

// TestEveryRunEndsWellInEveryWindow: no window, size of results or vocabulary ends a
// run that could go on, or the run after it.
func TestEveryRunEndsWellInEveryWindow(t *testing.T) {
	for protocol := range protocols {
		for _, window := range []int{4096, 8192, 16_384, 32_768, 131_072, 1_048_576} {
			for _, size := range []int{1 << 10, 16 << 10, 128 << 10, 1 << 20} {
				for _, perByte := range []float64{0.2, 0.4, 0.6} {
					t.Run(fmt.Sprintf("%s/%d/%d/%.1f", protocol, window, size, perByte), func(t *testing.T) {
						t.Parallel()
						playWindow(t, protocol, &vendor{window: window, perByte: perByte}, size)
					})
				}
			}
		}
	}
}

// TestAWindowThatNobodyKnowsIsFoundOut: for a server that does not tell it beforehand,
// and for one that does not tell it in its refusals either.
func TestAWindowThatNobodyKnowsIsFoundOut(t *testing.T) {
	for _, protocol := range []string{"openai", "openrouter", "anthropic"} {
		for _, window := range []int{4096, 8192, 32_768} {
			for _, perByte := range []float64{0.2, 0.4, 0.6} {
				for _, mute := range []bool{false, true} {
					v := &vendor{window: window, perByte: perByte, mute: mute}
					s := windowScene(t, protocol, v)
					known := s.alter
					s.alter = func(task *agent.Task) { known(task); task.Context = 0 }
					fill(s.project, 64<<10)
					v.turns = []turn{{calls: []ai.Call{{Tool: "read_file", Args: []byte(`{"path":"data.json"}`)}}}, {text: "Read."}}
					endsWell(t, v, s)
					s.goOn(strings.Repeat("One more wish. ", 4000))
					v.turns = []turn{{text: "It is done."}}
					endsWell(t, v, s)
				}
			}
		}
	}
}

// TestARefusalInsideAGatewaysIsCompacted: a request that a vendor behind a gateway finds too long is asked
// again, shorter.
func TestARefusalInsideAGatewaysIsCompacted(t *testing.T) {
	body, err := os.ReadFile("../../testdata/refusals/openrouter-context.json")
	if err != nil {
		t.Fatal(err)
	}
	var sent []string
	_, finished := openaiWire{}.answer(turn{text: "It is done."}, 10, 5)
	gateway := &aitest.Recorder{Answer: func(_, request string) (int, string) {
		if sent = append(sent, request); len(sent) == 1 {
			return http.StatusBadRequest, string(body)
		}
		return http.StatusOK, finished
	}}
	provider, err := openai.New(gateway.Client(), ai.Settings{BaseURL: "http://vendor.test/v1"})
	if err != nil {
		t.Fatal(err)
	}
	s := newScene()
	s.alter = func(task *agent.Task) { task.Provider, task.Context = provider, 300_000 }
	s.run(t.Context())
	if s.err != nil || s.outcome.Reason != core.ReasonDone {
		t.Fatalf("got %v, %v, want the run to go on", s.outcome.Reason, s.err)
	}
	if len(sent) != 2 || len(sent[1]) >= len(sent[0]) {
		t.Errorf("got %d requests, want a second, shorter one", len(sent))
	}
}

// playWindow lets a model read, list and run things of size bytes. It then sends two
// more messages, the last as long as a message may be.
func playWindow(t *testing.T, protocol string, v *vendor, size int) {
	s := windowScene(t, protocol, v)
	fill(s.project, size)
	known, eyes := s.alter, seeing(t, form).alter
	s.alter = func(task *agent.Task) { known(task); eyes(task) }
	v.turns = []turn{
		{calls: []ai.Call{{Tool: "read_file", Args: []byte(`{"path":"data.json"}`)}, {Tool: "read_file", Args: []byte(`{"path":"more.json"}`)}}},
		{calls: []ai.Call{{Tool: "list_files", Args: []byte(`{}`)}, {Tool: "search_files", Args: []byte(`{"query":"value"}`)}}},
		{calls: []ai.Call{{Tool: "run_command", Args: []byte(`{"command":"shout"}`)}}},
		{calls: []ai.Call{{Tool: "read_file", Args: []byte(`{"path":"data.json"}`)}}},
		{text: "I have looked at everything."},
	}
	endsWell(t, v, s)
	s.goOn("Next.")
	v.turns = []turn{{text: "Yes."}}
	endsWell(t, v, s)
	s.goOn(strings.Repeat("One more wish. ", min(size, 90_000)/15))
	v.turns = []turn{{text: "It is done."}}
	endsWell(t, v, s)
}

// windowScene is a scene whose model is at a fake server.
func windowScene(t *testing.T, protocol string, v *vendor) *scene {
	t.Helper()
	provider, err := protocols[protocol](v)
	if err != nil {
		t.Fatal(err)
	}
	s := newScene()
	s.wish = "please"
	s.alter = func(task *agent.Task) {
		task.Provider, task.Context, task.SetsWindow = provider, v.window, protocol == "ollama"
	}
	return s
}

// fill gives a project files, a listing and a command of about size bytes each.
func fill(project *mapProject, size int) {
	line := `{"name": "value number", "amount": 4711}` + "\n"
	project.files["data.json"] = strings.Repeat(line, size/len(line)+1)
	project.files["more.json"] = strings.Repeat(line, size/len(line)+1)
	for i := range min(size/40, 1000) {
		project.files[fmt.Sprintf("src/components/part-%04d.tsx", i)] = "value"
	}
	project.commands = map[string]func(map[string]string) (string, []core.FileChanged, error){
		"shout": func(map[string]string) (string, []core.FileChanged, error) {
			return "Exit code 0.\n" + strings.Repeat("shouting aloud\n", min(size, 64<<10)/15), nil, nil
		},
	}
}

// endsWell runs the scene's message and expects the model's last word.
func endsWell(t *testing.T, v *vendor, s *scene) {
	t.Helper()
	s.run(t.Context())
	if s.err != nil || s.outcome.Reason != core.ReasonDone || len(v.turns) > 0 {
		t.Fatalf("got %v, %v with %d turns left after %d refusals, want the run to end well", s.outcome.Reason, s.err, len(v.turns), v.refusals)
	}
	if v.refusals > maxRefusals {
		t.Errorf("got %d refusals, want the agent to learn from at most %d", v.refusals, maxRefusals)
	}
	v.refusals = 0
	for _, done := range s.compactions() {
		if (done.TokensBefore-done.TokensAfter)*3 < done.TokensBefore {
			t.Errorf("got a compaction from %d to %d tokens, want a third freed", done.TokensBefore, done.TokensAfter)
		}
	}
}

// maxRefusals is how many requests of one run may be too long.
const maxRefusals = 6

// goOn makes the events so far the beginning of the next message's log.
func (s *scene) goOn(wish string) {
	s.before = append(s.before, core.UserMessage{Text: s.wish})
	s.before = append(s.before, s.events...)
	s.before = append(s.before, core.TaskComplete{Reason: core.ReasonDone})
	s.events, s.wish = nil, wish
	alter, summary, briefing := s.alter, s.summary, s.briefing
	s.alter = func(task *agent.Task) { alter(task); task.Summary, task.Briefing = summary, briefing }
}

// client answers requests in the wire's protocol, without a network.
func (v *vendor) client(wire wire) *http.Client {
	var transport http.RoundTripper = &vendorTransport{vendor: v, wire: wire}
	if v.through != nil {
		transport = v.through(transport)
	}
	return &http.Client{Transport: transport}
}

// TestAWindowIsAskedForWhereTheServerWantsThat: elsewhere requests leave it to the server, and the budget
// is that of the window all the same.
func TestAWindowIsAskedForWhereTheServerWantsThat(t *testing.T) {
	for _, row := range []struct {
		context       int
		sets          bool
		asked, answer int
	}{
		{131_072, true, 131_072, 16_384}, {131_072, false, 0, 16_384}, {8192, true, 8192, 2048}, {0, true, 16_384, 4096}, {0, false, 0, 16_384},
	} {
		s := newScene()
		s.alter = func(task *agent.Task) { task.Context, task.SetsWindow = row.context, row.sets }
		s.model.Say("Done.")
		s.run(t.Context())
		if got := s.model.Requests()[0]; got.ContextTokens != row.asked || got.MaxTokens != row.answer {
			t.Errorf("%+v: got the window %d and answers of %d asked for", row, got.ContextTokens, got.MaxTokens)
		}
	}
}
