package storytest

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

// PNGImage is a picture that is width pixels wide.
func PNGImage(t testing.TB, width int) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, width, 2))); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// DataURL is the data: URL of a PNG.
func DataURL(data []byte) string {
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(data)
}

// Picture is one attachment of a message.
func Picture(url string) Fields { return Fields{"type": "image", "url": url} }

// Message is a body with attachments.
func (w *Work) Message(text string, attachments any) Fields {
	return Fields{"chatId": w.Chat, "text": text, "attachments": attachments}
}

// Show sends a message with images and reads its stream to the end.
func (w *Work) Show(text string, urls ...string) []Event {
	w.T.Helper()
	attached := []Fields{}
	for _, url := range urls {
		attached = append(attached, Picture(url))
	}
	response := w.Open(w.T.Context(), http.MethodPost, "/chat/"+string(w.ID)+"/messages", w.Message(text, attached))
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		content, _ := io.ReadAll(response.Body)
		w.T.Fatalf("message: got %d %s", response.StatusCode, content)
	}
	return Events(w.T, response.Body)
}

// SlowOllama answers with one word and then nothing until its client leaves, which it
// reports.
func SlowOllama(t testing.TB) (address string, gone <-chan struct{}) {
	t.Helper()
	left := make(chan struct{}, 10)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/show", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"capabilities":["completion","tools"],"model_info":{}}`)
	})
	mux.HandleFunc("GET /api/tags", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"models":[{"name":"m","model":"m"}]}`)
	})
	mux.HandleFunc("POST /api/chat", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = fmt.Fprintln(w, `{"model":"m","message":{"role":"assistant","content":"Well"},"done":false}`)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		left <- struct{}{}
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL, left
}

// OpenMessage sends a message and waits for the first word of the answer.
func (w *Work) OpenMessage(ctx context.Context, body map[string]any) *http.Response {
	w.T.Helper()
	body["chatId"] = w.Chat
	response := w.Open(ctx, http.MethodPost, "/chat/"+string(w.ID)+"/messages", body)
	if response.StatusCode != http.StatusOK {
		content, _ := io.ReadAll(response.Body)
		w.T.Fatalf("message: got %d %s", response.StatusCode, content)
	}
	Each(w.T, response.Body, func(e Event) bool { return e.Kind() != "assistant.message_delta" })
	return response
}

// WaitIdle waits until the chat accepts messages again.
func (w *Work) WaitIdle() {
	w.T.Helper()
	conformance.Eventually(w.T, "the chat to be idle", func() bool {
		var chats struct{ Items []core.Chat }
		w.Must(http.StatusOK, http.MethodGet, w.Path("/chats"), nil, &chats)
		return !chats.Items[0].Running
	})
}

// Send sends a message and reads its stream to the end.
func (w *Work) Send(text string) []Event {
	w.T.Helper()
	response := w.Open(w.T.Context(), http.MethodPost, "/chat/"+string(w.ID)+"/messages", map[string]string{"chatId": string(w.Chat), "text": text})
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		content, _ := io.ReadAll(response.Body)
		w.T.Fatalf("message: got %d %s", response.StatusCode, content)
	}
	return Events(w.T, response.Body)
}

// Detached sends a message without waiting for the answer.
func (w *Work) Detached(text string) {
	w.T.Helper()
	response := w.Open(w.T.Context(), http.MethodPost, "/chat/"+string(w.ID)+"/messages", map[string]any{"chatId": w.Chat, "text": text, "detach": true})
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		w.T.Fatalf("message: got %d", response.StatusCode)
	}
	Each(w.T, response.Body, func(e Event) bool { return e.Kind() != "user.message" })
}
