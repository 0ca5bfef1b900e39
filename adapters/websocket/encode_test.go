package websocket

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/rooms"
)

func TestEventsAreWrittenWithTheirType(t *testing.T) {
	path := core.MustPath("a.css")
	peer := rooms.Peer{ClientID: 7, User: rooms.Person{Name: "Zoë"}, Path: &path}
	for want, event := range map[string]rooms.Event{
		`{"type":"pong"}`: rooms.Pong{},
		`{"type":"error","error":"invalid_request","message":"no"}`:                                                      rooms.Failure{Error: core.CodeInvalidRequest, Message: "no"},
		`{"type":"welcome","clientId":7,"peers":[]}`:                                                                     rooms.Welcome{ClientID: 7, Peers: []rooms.Peer{}},
		`{"type":"presence.join","clientId":7,"user":{"id":"","name":"Zoë","color":"","avatarUrl":null},"path":"a.css"}`: rooms.PresenceJoin{Peer: peer},
		`{"type":"file.deleted","path":"a.css","by":{"kind":"","name":""}}`:                                              rooms.FileDeleted{Path: path},
		`{"type":"preview.status","status":"ready","diagnostics":null}`:                                                  rooms.PreviewStatus{PreviewState: core.PreviewState{Status: "ready"}},
	} {
		got, err := encode(event)
		if err != nil || string(got) != want {
			t.Errorf("%T: got %s, %v, want %s", event, got, err, want)
		}
	}
}

func FuzzCalls(f *testing.F) {
	for _, seed := range []string{
		`{"type":"ping"}`, `{"type":"presence.update","path":"a/b.css","cursor":{"line":1},"selection":{"start":1,"end":2}}`,
		`{"type":"presence.update","path":null,"cursor":null,"selection":null}`, `{"type":"x"}`, `[]`, `{"type":"ping","type":"ping"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := parseCall(text)
		switch {
		case err != nil && core.CodeOf(err) == core.CodeInternal:
			t.Fatalf("got %v, want a code that names the mistake", err)
		case err == nil && !json.Valid(text):
			t.Fatalf("%q: got %+v, want a refusal", text, c)
		case err == nil && c.place.Cursor != nil && !json.Valid(c.place.Cursor):
			t.Fatalf("%q: got the cursor %q, want JSON", text, c.place.Cursor)
		}
	})
}

func TestAnEventIsWrittenOnceForAll(t *testing.T) {
	var all texts
	event := &rooms.Frame{Event: rooms.FileDeleted{Path: core.MustPath("a")}}
	first, err := all.of(event)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := all.of(event); &again[0] != &first[0] {
		t.Error("got the event written twice, want the text from before")
	}
	for range keptTexts {
		other := &rooms.Frame{Event: rooms.Pong{}}
		if got, err := all.of(other); err != nil || string(got) != `{"type":"pong"}` {
			t.Fatalf("got %s, %v, want the pong", got, err)
		}
	}
	if again, _ := all.of(event); string(again) != string(first) || &again[0] == &first[0] {
		t.Errorf("got %s, want what is no longer kept written anew", again)
	}
}

// BenchmarkEncode writes the largest event that there is.
func BenchmarkEncode(b *testing.B) {
	content := strings.Repeat("<p class=\"x\">a line of text</p>\n", rooms.MaxSharedBytes/32)
	event := rooms.FileChanged{Path: core.MustPath("a.html"), Content: &content}
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		if _, err := encode(event); err != nil {
			b.Fatal(err)
		}
	}
}
