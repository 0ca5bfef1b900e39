package agent_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/ports/ai"
)

// promptCache is Anthropic's: it stores the prefixes that end at a mark, and reads one of at most
// lookback blocks before a mark. OpenRouter asks the same one, and turns each part of its request into a
// block.
type promptCache struct {
	next   http.RoundTripper
	stored map[[sha256.Size]byte]bool
	// sent is how many bytes of text all prompts had, paid how many of these were not read.
	requests, sent, paid int
}

const (
	mostMarks     = 4
	lookback      = 20
	leastCached   = 1024 * 4
	buildSteps    = 12
	mostOfDirect  = 1.1
	ephemeralMark = `"cache_control":{"type":"ephemeral"}`
)

// promptBlocks are the parts of a prompt of either protocol, in the order in which they are cached.
func promptBlocks(body []byte) (all []json.RawMessage) {
	var in struct {
		Tools, System, Messages []json.RawMessage
	}
	if err := json.Unmarshal(body, &in); err != nil {
		panic(err)
	}
	all = append(all, append(in.Tools, in.System...)...)
	for _, raw := range in.Messages {
		var message struct {
			Content   json.RawMessage
			ToolCalls []json.RawMessage `json:"tool_calls"`
		}
		if err := json.Unmarshal(raw, &message); err != nil {
			panic(err)
		}
		var parts []json.RawMessage
		if json.Unmarshal(message.Content, &parts) != nil {
			parts = []json.RawMessage{message.Content}
		}
		all = append(all, append(parts, message.ToolCalls...)...)
	}
	return all
}

// RoundTrip implements http.RoundTripper.
func (c *promptCache) RoundTrip(request *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return nil, err
	}
	request.Body = io.NopCloser(bytes.NewReader(body))
	c.requests++
	c.charge(promptBlocks(body))
	if marks := bytes.Count(body, []byte(ephemeralMark)); marks > mostMarks {
		return nil, fmt.Errorf("a maximum of 4 blocks with cache_control may be provided: found %d", marks)
	}
	return c.next.RoundTrip(request)
}

func (c *promptCache) charge(all []json.RawMessage) {
	prefix, total, read := sha256.New(), 0, 0
	prints, ends := make([][sha256.Size]byte, len(all)), make([]int, len(all))
	isMarked := make([]bool, len(all))
	for i, raw := range all {
		isMarked[i] = bytes.Contains(raw, []byte(ephemeralMark))
		var value any
		if err := json.Unmarshal(raw, &value); err != nil {
			panic(err)
		}
		if block, is := value.(map[string]any); is {
			delete(block, "cache_control")
		}
		text, _ := json.Marshal(value)
		prefix.Write(text)
		total += weigh(value)
		prints[i], ends[i] = [sha256.Size]byte(prefix.Sum(nil)), total
	}
	for i := range all {
		for j := i; isMarked[i] && j >= max(0, i-lookback); j-- {
			if c.stored[prints[j]] {
				read = max(read, ends[j])
			}
		}
	}
	for i := range all {
		if isMarked[i] && ends[i] >= leastCached {
			c.stored[prints[i]] = true
		}
	}
	c.sent, c.paid = c.sent+total, c.paid+total-read
}

// TestABuildThroughOpenRouterPaysWhatTheDirectWayPays: with its prompts' prefixes marked, and stable.
func TestABuildThroughOpenRouterPaysWhatTheDirectWayPays(t *testing.T) {
	paid := map[string]*promptCache{}
	for _, protocol := range []string{"anthropic", "openrouter"} {
		v := &vendor{window: 1_000_000, perByte: 0.25}
		cache := &promptCache{stored: map[[sha256.Size]byte]bool{}}
		v.through = func(next http.RoundTripper) http.RoundTripper {
			cache.next = next
			return cache
		}
		for i := range buildSteps - 1 {
			args, _ := json.Marshal(map[string]string{"path": fmt.Sprintf("src/part%d.css", i), "content": strings.Repeat(fmt.Sprintf(".part%d { color: red; }\n", i), 40)})
			v.turns = append(v.turns, turn{calls: []ai.Call{{Tool: "write_file", Args: args}, {Tool: "list_files", Args: []byte(`{}`)}}})
		}
		v.turns = append(v.turns, turn{text: "It is done."})
		s := windowScene(t, protocol, v)
		known := s.alter
		s.alter = func(task *agent.Task) {
			known(task)
			task.Model, task.Conversation = "anthropic/claude-sonnet-5", "chat-1"
		}
		s.run(t.Context())
		if s.err != nil || s.outcome.Reason != core.ReasonDone || cache.requests != buildSteps {
			t.Fatalf("%s: got %v, %v after %d requests, want a whole build", protocol, s.outcome.Reason, s.err, cache.requests)
		}
		paid[protocol] = cache
	}
	direct, routed := paid["anthropic"], paid["openrouter"]
	t.Logf("paid %d of %d bytes directly, %d of %d through OpenRouter", direct.paid, direct.sent, routed.paid, routed.sent)
	if float64(routed.paid) > mostOfDirect*float64(direct.paid) {
		t.Errorf("got %d bytes paid of %d through OpenRouter, want at most %v times the %d of %d directly", routed.paid, routed.sent, mostOfDirect, direct.paid, direct.sent)
	}
	if direct.paid*2 > direct.sent {
		t.Errorf("got %d of %d bytes paid directly, want most read", direct.paid, direct.sent)
	}
}
