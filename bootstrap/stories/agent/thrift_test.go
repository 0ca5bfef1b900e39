package agent_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
)

// cachingServer speaks as Anthropic does, with its prompt cache: a prefix that ends at a
// mark is stored if it is long enough, and read if exactly its bytes come again.
type cachingServer struct {
	// calls is how many tools a step calls, steps after how many calls of the model it is
	// done.
	calls, steps int
	// thinks signs a thought before each answer. As the vendor documents of its newest models,
	// the proof is bound to the conversation before it.
	thinks bool
	// parts says that each step writes components and a package instead of notes, which change
	// what the prompt says of the project.
	parts bool

	mu     sync.Mutex
	stored map[[sha256.Size]byte]bool
	asked  []bill
	before []byte
	// wrong is how many requests had thoughts behind another conversation.
	wrong int
}

// bill is what a request has cost, in tokens. Repeated is how much of it is the request
// before, word for word.
type bill struct{ total, read, written, repeated int }

// Facts from the vendor's documentation of prompt caching.
const (
	mostMarks     = 4
	lookback      = 20
	leastCached   = 1024
	bytesPerToken = 4
)

// promptBlock is one part of a prompt: a tool, or a block of the system prompt or of a
// message.
type promptBlock struct {
	raw    []byte
	marked bool
}

const mark = `,"cache_control":{"type":"ephemeral"}`

// blocksOf returns the parts of a prompt in the order in which the vendor caches them.
func blocksOf(body []byte) ([]promptBlock, error) {
	var in struct {
		Tools, System []json.RawMessage
		Messages      []struct {
			Role    string
			Content []json.RawMessage
		}
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	var all []promptBlock
	add := func(before string, raws []json.RawMessage) {
		for _, raw := range raws {
			plain := bytes.Replace(raw, []byte(mark), nil, 1)
			all = append(all, promptBlock{append([]byte(before), plain...), len(plain) < len(raw)})
		}
	}
	add("tool", in.Tools)
	add("system", in.System)
	for _, message := range in.Messages {
		add(message.Role, message.Content)
	}
	return all, nil
}

// proof signs a thought behind a conversation.
func proof(before []byte) string { return fmt.Sprintf("%x", sha256.Sum256(before)) }

// checkThoughts refuses calls without the thoughts before them, and thoughts behind another
// conversation.
func checkThoughts(all []promptBlock) error {
	var whole []byte
	thought := false
	for _, block := range all {
		var in struct{ Type, Thinking, Signature string }
		if raw, assistant := bytes.CutPrefix(block.raw, []byte("assistant")); assistant && json.Unmarshal(raw, &in) == nil {
			switch {
			case in.Type == "thinking" && (in.Signature != proof(whole) || in.Thinking != "Which note comes next?"):
				return fmt.Errorf("invalid signature in thinking block: %q", in.Thinking)
			case in.Type == "tool_use" && !thought:
				return errors.New("expected thinking, but found tool_use")
			}
			thought = thought || in.Type == "thinking"
		} else {
			thought = false
		}
		whole = append(whole, block.raw...)
	}
	return nil
}

// charge looks the prompt up in the cache and stores its marked prefixes.
func (s *cachingServer) charge(all []promptBlock) bill {
	var whole []byte
	prints, ends := make([][sha256.Size]byte, len(all)), make([]int, len(all))
	for i, block := range all {
		whole = append(whole, block.raw...)
		prints[i], ends[i] = sha256.Sum256(whole), len(whole)/bytesPerToken
	}
	got := bill{total: len(whole) / bytesPerToken}
	for got.repeated = 0; got.repeated < min(len(whole), len(s.before)) && whole[got.repeated] == s.before[got.repeated]; {
		got.repeated++
	}
	got.repeated /= bytesPerToken
	last := 0
	for i, block := range all {
		for j := i; block.marked && j >= max(0, i-lookback); j-- {
			if s.stored[prints[j]] {
				got.read = max(got.read, ends[j])
			}
		}
	}
	for i, block := range all {
		if block.marked && ends[i] >= leastCached {
			s.stored[prints[i]], last = true, ends[i]
		}
	}
	got.written, s.before = max(0, last-got.read), whole
	return got
}

func (s *cachingServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	all, err := blocksOf(body)
	if marks := bytes.Count(body, []byte(mark)); err != nil || marks > mostMarks {
		refuse(w, fmt.Sprintf("%v, or a maximum of 4 blocks with cache_control may be provided: found %d", err, marks))
		return
	}
	if err := checkThoughts(all); s.thinks && err != nil {
		s.mu.Lock()
		s.wrong++
		s.mu.Unlock()
		refuse(w, err.Error())
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.charge(all)
	s.asked = append(s.asked, b)
	w.Header().Set("Content-Type", "text/event-stream")
	wire := anthropicWire()
	fmt.Fprintf(w, `data: {"type":"message_start","message":{"usage":{"input_tokens":%d,"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d,"output_tokens":1}}}`+"\n\n",
		b.total-b.read-b.written, b.read, b.written)
	if s.thinks {
		fmt.Fprint(w, wire.think(quoted("Which note comes next?")))
		fmt.Fprintf(w, `data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":%q}}`+"\n\n", proof(s.before))
		fmt.Fprint(w, `data: {"type":"content_block_stop","index":0}`+"\n\n")
	}
	if n := len(s.asked); n%s.steps == 0 {
		fmt.Fprint(w, wire.text(quoted("All is written.")))
	} else {
		for i := range s.calls {
			written := map[string]string{"path": fmt.Sprintf("notes/%d-%d.txt", n, i), "content": strings.Repeat("words and more words\n", 20)}
			if s.parts {
				written["path"] = fmt.Sprintf("src/components/ui/part-%d-%d.tsx", n, i)
				written["content"] = fmt.Sprintf("export function Part%d() {\n  return <p>A part of the page.</p>\n}\n", n)
			}
			args, _ := json.Marshal(written)
			fmt.Fprint(w, wire.call(i+1, quoted(fmt.Sprintf("toolu_%d_%d", n, i)), quoted("write_file"), string(args)))
		}
	}
	fmt.Fprint(w, `data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":40}}`+"\n\n"+`data: {"type":"message_stop"}`+"\n\n")
}

// TestARunPaysItsPromptOnce: of all that a run of 20 steps sends again, at most a fifth of
// its first prompt is paid at the full price, also if its steps are longer than the cache
// looks back, or if its model thinks. Events, use and cost say what was read from the cache.
// The second message goes on although its prompt names the files that the first one made,
// behind which the vendor would refuse the thoughts of before if it came before them.
func TestARunPaysItsPromptOnce(t *testing.T) {
	for name, run := range map[string]struct {
		calls, steps int
		thinks       bool
	}{"20 steps": {1, 20, false}, "5 steps of 13 calls": {13, 5, false}, "20 steps of a model that thinks": {1, 20, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			vendor := &cachingServer{calls: run.calls, steps: run.steps, thinks: run.thinks, stored: map[[sha256.Size]byte]bool{}}
			upstream := httptest.NewServer(vendor)
			t.Cleanup(upstream.Close)
			s := storytest.Serve(t, t.TempDir(), local.New, map[string]string{
				"AI_PROVIDER": "anthropic", "AI_BASE_URL": upstream.URL, "AI_API_KEY": "sk-test-0123456789", "AI_MODEL": "claude-sonnet-4-5",
			})
			p := s.SignUp()
			w := p.Create("static-html")
			events := append(w.Send("Write notes."), w.Send("More of them.")...)
			if last := storytest.LastOf(events); last["type"] != "session.task_complete" {
				t.Fatalf("got %v, want a good run", last)
			}
			vendor.check(t, p, events)
		})
	}
}

// TestAChatPaysItsPromptOnce: of all that a chat of five messages sends again, at most a fifth of
// its first prompt is paid at the full price, although each message changes what there is to say of
// the project, and the thoughts of a model that thinks stay valid.
func TestAChatPaysItsPromptOnce(t *testing.T) {
	for name, thinks := range map[string]bool{"a model": false, "a model that thinks": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			vendor := &cachingServer{calls: 2, steps: 3, thinks: thinks, parts: true, stored: map[[sha256.Size]byte]bool{}}
			upstream := httptest.NewServer(vendor)
			t.Cleanup(upstream.Close)
			s := storytest.Serve(t, t.TempDir(), local.New, map[string]string{
				"AI_PROVIDER": "anthropic", "AI_BASE_URL": upstream.URL, "AI_API_KEY": "sk-test-0123456789", "AI_MODEL": "claude-sonnet-4-5",
			})
			w := s.SignUp().Create("todo-app")
			for n := range 5 {
				w.Put("AGENTS.md", "Always write German.\n"+strings.Repeat("A rule.\n", n+1))
				if last := storytest.LastOf(w.Send(fmt.Sprintf("Part %d, please.", n))); last["type"] != "session.task_complete" {
					t.Fatalf("message %d: got %v, want a good run", n, last)
				}
			}
			if len(vendor.asked) != 15 || vendor.wrong > 0 {
				t.Fatalf("got %d calls of the model and %d with thoughts in the wrong place, want 15 and none", len(vendor.asked), vendor.wrong)
			}
			first, again := vendor.asked[0].total, 0
			for n, b := range vendor.asked[1:] {
				fresh := b.total - vendor.asked[n].total
				again += max(0, b.total-b.read-fresh)
			}
			t.Logf("first prompt %d tokens, prefix at full price %d", first, first+again)
			if first+again > first*12/10 {
				t.Errorf("got %d tokens sent again at full price after a first prompt of %d, want at most a fifth", again, first)
			}
		})
	}
}

// check holds the vendor's bills to the bar and to what the service says of them.
func (s *cachingServer) check(t *testing.T, p *storytest.Caller, events []storytest.Event) {
	if len(s.asked) != 2*s.steps {
		t.Fatalf("got %d calls of the model, want %d", len(s.asked), 2*s.steps)
	}
	var sum bill
	cost := 0.0
	for i, b := range s.asked {
		sum = bill{sum.total + b.total, sum.read + b.read, sum.written + b.written, sum.repeated + max(0, b.repeated-b.read)}
		cost += (3*float64(b.total-b.read-b.written) + 0.3*float64(b.read) + 3.75*float64(b.written) + 15*40) / 1e6
		if i == s.steps-1 {
			first := s.asked[0].total
			t.Logf("first prompt %d tokens; %d sent, %d read from the cache; prefix at full price %d, %.2f times the first", first, sum.total, sum.read, first+sum.repeated, float64(first+sum.repeated)/float64(first))
			if float64(first+sum.repeated) > 1.2*float64(first) {
				t.Errorf("got %d tokens sent again at full price after a first prompt of %d, want at most a fifth", sum.repeated, first)
			}
		}
	}
	found := p.Usage()
	if len(found.Items) != 1 || int(found.Items[0].InputTokens) != sum.total || int(found.Items[0].CachedTokens) != sum.read {
		t.Errorf("use: got %+v, want %d tokens, %d of them cached", found.Items, sum.total, sum.read)
	}
	if math.Abs(found.Items[0].Cost-cost) > 1e-9 {
		t.Errorf("cost: got %v, want %v", found.Items[0].Cost, cost)
	}
	read, written := 0.0, 0.0
	for _, event := range events {
		if event.Kind() == "session.usage_info" {
			r, _ := event.Data["cachedTokens"].(float64)
			c, _ := event.Data["cacheWriteTokens"].(float64)
			read, written = read+r, written+c
		}
	}
	if int(read) != sum.read || int(written) != sum.written {
		t.Errorf("events: got %v read and %v written, want %d and %d", read, written, sum.read, sum.written)
	}
}
