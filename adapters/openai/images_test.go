package openai_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

func TestPainter(t *testing.T) {
	aitest.RunPainter(t, func(t *testing.T, script aitest.PaintScript) aitest.Easel {
		var requests atomic.Int64
		url := serveImages(t, func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/models") {
				entries := []string{}
				for _, name := range script.Models {
					entries = append(entries, fmt.Sprintf(`{"id":%q,"object":"model"}`, name))
				}
				fmt.Fprintf(w, `{"object":"list","data":[%s]}`, strings.Join(entries, ","))
				return
			}
			requests.Add(1)
			switch script.End {
			case aitest.Hangs:
				_, _ = io.Copy(io.Discard, r.Body)
				<-r.Context().Done()
			case aitest.Refuses:
				w.WriteHeader(script.Status)
				fmt.Fprint(w, refusal("no"))
			default:
				// As OpenAI answered in 2025, with a shorter picture.
				fmt.Fprintf(w, `{"created":1713833628,"background":"opaque","output_format":"png","quality":"medium","size":"1536x1024","data":[{"b64_json":%q}],`+
					`"usage":{"total_tokens":%d,"input_tokens":%d,"output_tokens":%d,"input_tokens_details":{"text_tokens":%[3]d,"image_tokens":0}}}`,
					base64.StdEncoding.EncodeToString(script.Image), script.Usage.InputTokens+script.Usage.OutputTokens, script.Usage.InputTokens, script.Usage.OutputTokens)
			}
		})
		return aitest.Easel{Painter: open(t, url), Requests: func() int { return int(requests.Load()) }}
	})
}

// serveImages serves a vendor for one test.
func serveImages(t *testing.T, handle http.HandlerFunc) (baseURL string) {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// TestEachFamilyOfPaintersIsAskedAsItWants: GPT Image models refuse response_format, the others
// answer with an address without it, and xAI's refuse a size.
func TestEachFamilyOfPaintersIsAskedAsItWants(t *testing.T) {
	var asked map[string]any
	url := serveImages(t, func(w http.ResponseWriter, r *http.Request) {
		asked = nil
		_ = json.NewDecoder(r.Body).Decode(&asked)
		fmt.Fprintf(w, `{"data":[{"b64_json":%q}]}`, base64.StdEncoding.EncodeToString([]byte(aitest.PNG)))
	})
	for model, want := range map[string]string{
		"gpt-image-1-mini":     `{"model":"gpt-image-1-mini","n":1,"output_format":"webp","prompt":"A teapot.","quality":"medium","size":"1024x1536"}`,
		"openai/gpt-image-1.5": `{"model":"openai/gpt-image-1.5","n":1,"output_format":"webp","prompt":"A teapot.","quality":"medium","size":"1024x1536"}`,
		"dall-e-3":             `{"model":"dall-e-3","n":1,"prompt":"A teapot.","response_format":"b64_json","size":"1024x1792"}`,
		"grok-imagine-image":   `{"aspect_ratio":"2:3","model":"grok-imagine-image","n":1,"prompt":"A teapot.","response_format":"b64_json"}`,
		"flux.1-dev":           `{"model":"flux.1-dev","n":1,"prompt":"A teapot.","response_format":"b64_json","size":"1024x1536"}`,
	} {
		_, used, err := open(t, url).Paint(t.Context(), ai.PictureRequest{Model: model, Prompt: "A teapot.", Shape: ai.Portrait, MediaType: "image/webp"})
		got, _ := json.Marshal(asked)
		if err != nil || used.Images != 1 || string(got) != want {
			t.Errorf("%s: asked %s, got %+v and %v, want %s", model, got, used, err, want)
		}
	}
}

// TestNothingButAPictureIsTaken: neither an address, which nobody fetches, nor a page nor a drawing
// with scripts.
func TestNothingButAPictureIsTaken(t *testing.T) {
	fetched := false
	var body string
	url := serveImages(t, func(w http.ResponseWriter, r *http.Request) {
		if fetched = fetched || r.Method == http.MethodGet; !fetched {
			_, _ = io.WriteString(w, body)
		}
	})
	encoded := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	for name, answer := range map[string]string{
		"an address":   `{"data":[{"url":"` + strings.TrimSuffix(url, "/v1") + `/picture.png"}]}`,
		"no data":      `{"data":[]}`,
		"no base64":    `{"data":[{"b64_json":"***"}]}`,
		"a web page":   `{"data":[{"b64_json":"` + encoded("<html>") + `"}]}`,
		"a drawing":    `{"data":[{"b64_json":"` + encoded(`<svg onload="steal()">`) + `"}]}`,
		"a GIF":        `{"data":[{"b64_json":"` + encoded("GIF89a") + `"}]}`,
		"another form": `[]`,
		"a cut answer": `{"data":[{"b64_`,
	} {
		body = answer
		_, used, err := open(t, url).Paint(t.Context(), ai.PictureRequest{Model: "dall-e-3", Prompt: "A teapot."})
		var failure *ai.Failure
		if !errors.As(err, &failure) || used.Images != 1 || fetched {
			t.Errorf("%s: got %+v, %v and fetched: %t, want a failure that is paid, and nothing fetched", name, used, err, fetched)
		}
	}
}
