package agent_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// gallery is a server that implements every vendor's protocol, answers each call with a
// word, and records the requests.
type gallery struct {
	url string
	// blind lets Ollama say that its model cannot see.
	blind atomic.Bool

	mu   sync.Mutex
	sent [][]byte
}

func openGallery(t testing.TB) *gallery {
	t.Helper()
	g := &gallery{}
	mux := http.NewServeMux()
	say := func(pattern, text string) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			g.mu.Lock()
			g.sent = append(g.sent, body)
			g.mu.Unlock()
			_, _ = io.WriteString(w, text)
		})
	}
	say("POST /api/chat", `{"model":"m","message":{"role":"assistant","content":"Nice."},"done":true,"done_reason":"stop","prompt_eval_count":5,"eval_count":1}`+"\n")
	say("POST /v1/chat/completions", `data: {"choices":[{"index":0,"delta":{"content":"Nice."},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	say("POST /v1/messages", `data: {"type":"message_start","message":{"usage":{"input_tokens":5}}}`+"\n\n"+
		`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`+"\n\n"+
		`data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Nice."}}`+"\n\n"+
		`data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}`+"\n\n"+`data: {"type":"message_stop"}`+"\n\n")
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"data":[{"id":"m"}]}`) })
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"models":[{"name":"m","model":"m"}]}`)
	})
	mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, _ *http.Request) {
		vision := `,"vision"`
		if g.blind.Load() {
			vision = ""
		}
		_, _ = io.WriteString(w, `{"capabilities":["completion","tools"`+vision+`],"model_info":{"x.context_length":32768}}`)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	g.url = server.URL
	return g
}

// calls are the bodies that hold a text.
func (g *gallery) calls(text string) [][]byte {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(g.sent), func(body []byte) bool { return !bytes.Contains(body, []byte(text)) })
}

func (g *gallery) env(kind core.ProviderKind) map[string]string {
	base := g.url
	if kind == core.ProviderOpenAI {
		base += "/v1"
	}
	return map[string]string{
		"AI_PROVIDER": string(kind), "AI_BASE_URL": base, "OLLAMA_HOST": g.url, "AI_MODEL": "m", "AI_API_KEY": "k", "PRIVATE_NETWORKS": "allow",
	}
}

// vendorForms returns each vendor's form of a message with images: the last message of a
// request, with placeholders <1> and <2> for the base64.
func vendorForms() map[core.ProviderKind]string {
	return map[core.ProviderKind]string{
		core.ProviderOllama: `{"role":"user","content":"Look","images":["<1>","<2>"]}`,
		core.ProviderOpenAI: `{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,<1>"}},` +
			`{"type":"image_url","image_url":{"url":"data:image/jpeg;base64,<2>"}},{"type":"text","text":"Look"}]}`,
		core.ProviderAnthropic: `{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"<1>"}},` +
			`{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"<2>"}},{"type":"text","text":"Look","cache_control":{"type":"ephemeral"}}]}`,
	}
}

// toldBeside is what the agent says of the project before the person's words.
var toldBeside = regexp.MustCompile(`\{"type":"text","text":"\[From Atelier[^"]*\[The person says:\]"\},|\[From Atelier[^"]*\[The person says:\]\\n\\n`)

func TestEveryVendorGetsImagesInItsOwnForm(t *testing.T) {
	drawn, fetched := storytest.PNGImage(t, 7), jpegImage(t, 9)
	images := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "/a.png", http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "image/png") // The data itself reveals the type.
		_, _ = w.Write(fetched)
	}))
	defer images.Close()
	for kind, form := range vendorForms() {
		t.Run(string(kind), func(t *testing.T) {
			vendor := openGallery(t)
			w := storytest.Serve(t, t.TempDir(), local.New, vendor.env(kind)).SignUp().Create("static-html")
			all := w.Show("Look", storytest.DataURL(drawn), images.URL+"/moved")
			if last := all[len(all)-1]; last.Kind() != "session.task_complete" {
				t.Fatalf("got %v, want an answer", last.Data)
			}
			calls := vendor.calls("Look")
			if len(calls) != 1 {
				t.Fatalf("got %d calls, want one", len(calls))
			}
			want := strings.NewReplacer("<1>", base64.StdEncoding.EncodeToString(drawn), "<2>", base64.StdEncoding.EncodeToString(fetched)).Replace(form)
			if got := toldBeside.ReplaceAll(lastMessage(t, calls[0]), nil); !sameJSON(t, got, []byte(want)) {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func lastMessage(t *testing.T, body []byte) []byte {
	t.Helper()
	var request struct{ Messages []json.RawMessage }
	if err := json.Unmarshal(body, &request); err != nil || len(request.Messages) == 0 {
		t.Fatalf("got %.200s, %v, want messages", body, err)
	}
	return request.Messages[len(request.Messages)-1]
}

// sameJSON compares two values, whatever the order of their members.
func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var texts [2]string
	for i, text := range [][]byte{a, b} {
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(again)
	}
	return texts[0] == texts[1]
}

func TestAModelThatCannotSeeIsToldApartBeforeTheCall(t *testing.T) {
	vendor := openGallery(t)
	vendor.blind.Store(true)
	w := storytest.Serve(t, t.TempDir(), local.New, vendor.env(core.ProviderOllama)).SignUp().Create("static-html")
	all := w.Show("Look", storytest.DataURL(storytest.PNGImage(t, 7)))
	last := all[len(all)-1]
	message, _ := last.Data["message"].(string)
	if last.Kind() != "session.error" || last.Data["error"] != string(core.CodeModelUnavailable) || !strings.Contains(message, "the model m cannot see images") {
		t.Errorf("got %s with %v, want %s that says why", storytest.Kinds(all), last.Data, core.CodeModelUnavailable)
	}
	if got := len(vendor.calls("Look")); got != 0 {
		t.Errorf("got %d calls, want none", got)
	}
	if all := w.Send("Without"); all[len(all)-1].Kind() != "session.task_complete" {
		t.Errorf("got %s, want an answer to a message without images", storytest.Kinds(all))
	}
	if calls := vendor.calls("Without"); len(calls) != 1 || bytes.Contains(calls[0], []byte(`"images"`)) {
		t.Errorf("got %d calls, want one without images", len(calls))
	}
}
