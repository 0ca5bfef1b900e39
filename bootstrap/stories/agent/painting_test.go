package agent_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

// serveStudio speaks as OpenAI does: its model calls generate_image once, and its painter paints
// one pixel for each.
func serveStudio(t *testing.T, painted *atomic.Int64) (baseURL string) {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"gpt-4o"},{"id":"gpt-image-1"}]}`)
	})
	mux.HandleFunc("POST /v1/images/generations", func(w http.ResponseWriter, r *http.Request) {
		painted.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
		fmt.Fprintf(w, `{"data":[{"b64_json":%q}],"usage":{"input_tokens":8,"output_tokens":272}}`, base64.StdEncoding.EncodeToString([]byte(aitest.PNG)))
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		delta := map[string]any{"content": "Here it is."}
		if !strings.Contains(string(body), `"role":"tool"`) {
			args := `{"path":"public/img/pot.png","prompt":"A red teapot on a table.","alt":"A red teapot"}`
			delta = map[string]any{"tool_calls": []any{map[string]any{"index": 0, "id": "c1", "type": "function", "function": map[string]any{"name": "generate_image", "arguments": args}}}}
		}
		w.Header().Set("Content-Type", "text/event-stream")
		chunk, _ := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": "stop"}}})
		fmt.Fprintf(w, "data: %s\n\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":10}}\n\ndata: [DONE]\n\n", chunk)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// TestTheAgentPaintsAPicture: the model calls generate_image, the preview serves the picture, and
// the workspace pays for it.
func TestTheAgentPaintsAPicture(t *testing.T) {
	t.Parallel()
	var painted atomic.Int64
	catalogue := filepath.Join(t.TempDir(), "catalogue.json")
	if err := os.WriteFile(catalogue, []byte(`{"models": {"gpt-image-1": {"imagePrice": 0.25}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	c := storytest.Serve(t, t.TempDir(), local.New, map[string]string{
		"AI_PROVIDER": "openai", "AI_BASE_URL": serveStudio(t, &painted), "AI_MODEL": "gpt-4o", "AI_API_KEY": "k",
		"MODEL_CATALOGUE": catalogue, "WORKSPACE_CREDIT_LIMIT": "0.3",
	}).SignUp()
	w := c.Create("static-html")
	all := w.Send("Paint a teapot.")
	kinds := storytest.Kinds(all)
	if !strings.Contains(fmt.Sprint(kinds), "file.changed") || storytest.LastOf(all)["reason"] != "done" {
		t.Fatalf("got %v, want a file and the run done", kinds)
	}
	if got := c.Fetch(strings.TrimSuffix(w.Preview(c), "/") + "/img/pot.png"); got.Status != http.StatusOK || string(got.Body) != aitest.PNG || got.Header.Get("Content-Type") != "image/png" {
		t.Errorf("got %d and %d bytes of %q, want the picture in the preview", got.Status, len(got.Body), got.Header.Get("Content-Type"))
	}
	// Two calls of the model of 1,000 and 10 tokens, and the picture.
	const texts = 2 * (1000*2.5 + 10*10) / 1e6
	used := c.Usage()
	if off := used.CreditUsed - 0.25 - texts; off > 1e-9 || off < -1e-9 || painted.Load() != 1 {
		t.Errorf("got %.4f USD used for %d pictures, want %.4f for one", used.CreditUsed, painted.Load(), 0.25+texts)
	}
	found := false
	for _, row := range used.Items {
		found = found || row.Model == "gpt-image-1" && row.Cost == 0.25 && row.OutputTokens == 272
	}
	if !found {
		t.Errorf("got %+v, want a row of the painter", used.Items)
	}
}
