package mcp_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/atelierhq/atelier/bootstrap/inmemory"
	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// TestEveryToolSaysWhatItTakes reads the list as a program does.
func TestEveryToolSaysWhatItTakes(t *testing.T) {
	s := storytest.Serve(t, t.TempDir(), inmemory.New, nil)
	p := connect(t, s, token(s.SignUp(), core.ScopeChat))
	listed, err := p.session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(listed.Tools) < 20 || len(listed.Tools) > 40 {
		t.Errorf("got %d tools, want about thirty", len(listed.Tools))
	}
	for _, tool := range listed.Tools {
		text, err := json.Marshal(tool)
		if err != nil {
			t.Fatal(err)
		}
		schema, _ := tool.InputSchema.(map[string]any)
		if schema["type"] != "object" || tool.Title == "" || tool.Description == "" || tool.Annotations == nil {
			t.Errorf("got %s, want a title, a description, hints and an object", text)
		}
		for _, foreign := range []string{`"$ref"`, `"discriminator"`, `"x-`, `:null,"`, "acceptDataLoss", "acceptFindings"} {
			if strings.Contains(string(text), foreign) {
				t.Errorf("%s: got %s in %s", tool.Name, foreign, text)
			}
		}
	}
	if said := p.session.InitializeResult().Instructions; !strings.Contains(said, "follow_run") {
		t.Errorf("got the instructions %q", said)
	}
}

// TestFilesComeAsWhatTheyAre reads a text, a picture and bytes, as tools and as resources.
func TestFilesComeAsWhatTheyAre(t *testing.T) {
	s := storytest.Serve(t, t.TempDir(), local.New, nil)
	w := s.SignUp().Create(storytest.Template)
	p := connect(t, s, token(w.Caller))
	picture := storytest.PNGImage(t, 3)
	for path, content := range map[string][]byte{"a b/ü#%.txt": []byte("Grüße\n"), "p.png": picture, "data.bin": {0xff, 0, 1}, "empty.txt": nil} {
		r := strings.NewReader(string(content))
		if got := w.Do(http.MethodPut, w.Path("/files/"+strings.NewReplacer(" ", "%20", "#", "%23", "%", "%25").Replace(path)), r); got.Status != http.StatusCreated {
			t.Fatalf("%s: got %d %s", path, got.Status, got.Body)
		}
		result, err := p.session.CallTool(t.Context(), &sdk.CallToolParams{Name: "read_file", Arguments: storytest.Fields{"projectId": w.ID, "path": path}})
		if err != nil || result.IsError {
			t.Fatalf("%s: got %+v, %v", path, result, err)
		}
		var got []byte
		switch part := result.Content[0].(type) {
		case *sdk.TextContent:
			got = []byte(part.Text)
		case *sdk.ImageContent:
			got = part.Data
		case *sdk.EmbeddedResource:
			got = part.Resource.Blob
		}
		if !bytes.Equal(got, content) {
			t.Errorf("%s: got %q as %T, want %q", path, got, result.Content[0], content)
		}
		uri := "atelier://projects/" + string(w.ID) + "/files/" + strings.NewReplacer(" ", "%20", "#", "%23", "%", "%25", "ü", "%C3%BC").Replace(path)
		read, err := p.session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		if err != nil {
			t.Errorf("%s: got %v, want the resource", uri, err)
		} else if got := append([]byte(read.Contents[0].Text), read.Contents[0].Blob...); !bytes.Equal(got, content) {
			t.Errorf("%s: got %q, want %q", uri, got, content)
		}
	}
	stranger := connect(t, s, token(s.SignUp()))
	if read, err := stranger.session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "atelier://projects/" + string(w.ID) + "/files/p.png"}); err == nil {
		t.Errorf("got %+v for a stranger, want an error", read)
	}
	for _, uri := range []string{"atelier://projects/x/files/y", "atelier://projects/" + string(w.ID) + "/files/none", "atelier://other/\u007f", "file:///etc/passwd", "%zz"} {
		if read, err := p.session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%q: got %+v, want an error", uri, read)
		}
	}
}

// TestARunIsStopped begins a run that does not end by itself.
func TestARunIsStopped(t *testing.T) {
	address, _ := storytest.SlowOllama(t)
	s := storytest.Serve(t, t.TempDir(), local.New, map[string]string{"AI_PROVIDER": "ollama", "OLLAMA_HOST": address, "AI_MODEL": "m"})
	w := s.SignUp().Create(storytest.Template)
	p := connect(t, s, token(w.Caller))
	chat := storytest.Fields{"projectId": w.ID, "chatId": w.Chat}
	var begun struct{ After int64 }
	p.must("send_message", storytest.Fields{"projectId": w.ID, "chatId": w.Chat, "text": "hi"}, &begun)
	p.refused(core.CodeChatBusy, "send_message", storytest.Fields{"projectId": w.ID, "chatId": w.Chat, "text": "more"})
	p.must("stop_run", chat, nil)
	events := p.follow(w.ID, w.Chat, begun.After)
	if last := events[len(events)-1]; last["type"] != "session.task_complete" || last["reason"] != "stopped" {
		t.Errorf("got %v, want stopped", last)
	}
	if again := p.follow(w.ID, w.Chat, 0); len(again) != len(events)+1 {
		t.Errorf("got %d events from the beginning, want the message and %d", len(again), len(events))
	}
}
