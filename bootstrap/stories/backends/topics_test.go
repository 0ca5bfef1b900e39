package backends_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// board is a project whose notes are open to all, so that nothing but the place of its data
// keeps others out.
type board struct {
	*book
	host string
}

func newBoard(site *storytest.Site) *board {
	b := &board{book: &book{site.SignUp().Create(storytest.Template)}}
	b.save(core.BackendSchemaPath, object{"collections": []object{{
		"name": "notes", "type": "base", "listRule": "", "viewRule": "", "createRule": "", "fields": []object{{"name": "text", "type": "text"}},
	}}})
	b.host = b.Preview(b.Caller)
	return b
}

// write adds a note and returns its id.
func (b *board) write(text string) string {
	b.T.Helper()
	status, made := b.page(b.host, http.MethodPost, "collections/notes/records", "", object{"text": text})
	if status != http.StatusOK {
		b.T.Fatalf("got %d %v, want a note", status, made)
	}
	id, _ := made["id"].(string)
	return id
}

// stream is a realtime connection of a page.
type stream struct {
	t      testing.TB
	lines  *bufio.Scanner
	client string
}

// connect opens a realtime connection, and reads the id of its client.
func (b *board) connect() *stream {
	b.T.Helper()
	r, err := http.NewRequestWithContext(b.T.Context(), http.MethodGet, b.host+"/_data/realtime", nil)
	if err != nil {
		b.T.Fatal(err)
	}
	got, err := b.Client.Do(r)
	if err != nil || got.StatusCode != http.StatusOK {
		b.T.Fatalf("got %v, %v, want a stream", got, err)
	}
	b.T.Cleanup(func() { _ = got.Body.Close() })
	s := &stream{t: b.T, lines: bufio.NewScanner(got.Body)}
	var opened struct{ ClientID string }
	if err := json.Unmarshal([]byte(s.data()), &opened); err != nil || opened.ClientID == "" {
		b.T.Fatalf("got %+v, %v, want the id of the client", opened, err)
	}
	s.client = opened.ClientID
	return s
}

// data returns the data of the next event.
func (s *stream) data() string {
	s.t.Helper()
	for s.lines.Scan() {
		if data, is := strings.CutPrefix(s.lines.Text(), "data:"); is {
			return data
		}
	}
	s.t.Fatalf("the stream ended: %v", s.lines.Err())
	return ""
}

// subscribe asks for topics on a connection, and returns the status.
func (b *board) subscribe(client string, topics ...string) int {
	b.T.Helper()
	status, _ := b.page(b.host, http.MethodPost, "realtime", "", object{"clientId": client, "subscriptions": topics})
	return status
}

func TestNoRealtimeTopicReachesAnother(t *testing.T) {
	t.Parallel()
	site := started(t, unlimited)
	victim, own := newBoard(site), newBoard(site)
	record := victim.write("before")
	theirs, mine := victim.connect(), own.connect()
	if status := own.subscribe(theirs.client, "notes/*"); status != http.StatusNotFound {
		t.Errorf("got %d for the connection of another project, want 404", status)
	}
	id := string(victim.ID)
	topics := []string{"notes/*", "notes/" + record, "notes", "*", id + "/notes/*", "../" + id + "/notes/*", "notes/*?options=" + fmt.Sprintf(`{"headers":{"Atelier-Place":%q}}`, `{"Project":"`+id+`","Env":"test"}`)}
	if status := own.subscribe(mine.client, topics...); status != http.StatusNoContent {
		t.Fatalf("got %d, want the topics taken", status)
	}
	if status := victim.subscribe(theirs.client, "notes/*"); status != http.StatusNoContent {
		t.Fatalf("got %d, want the victim's own topic taken", status)
	}
	victim.write("secret-of-the-victim")
	if got := theirs.data(); !strings.Contains(got, "secret-of-the-victim") {
		t.Errorf("got %s, want the victim to hear of it", got)
	}
	own.write("the last")
	for data := mine.data(); !strings.Contains(data, "the last"); data = mine.data() {
		t.Errorf("got %s from another project", data)
	}
}
