package backendtest

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/conformance"
)

// window is a realtime connection.
type window struct {
	id     string
	events chan event
	// status is that of the answer.
	status int
	close  context.CancelFunc
}

// event is something that a window is told.
type event struct {
	topic  string
	Action string         `json:"action"`
	Record map[string]any `json:"record"`
	// Code, State and Error are those of the topic @oauth2.
	Code  string `json:"code"`
	State string `json:"state"`
	Error string `json:"error"`
}

// serve runs a server for a caller's place, as streams need one.
func (c caller) serve(t *testing.T) *httptest.Server {
	t.Helper()
	engine := c.s.engine
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.RemoteAddr = httptest.NewRequest("", "/", nil).RemoteAddr // topics must come from the same address
		engine.Serve(w, r, c.place, c.as)
	}))
	t.Cleanup(server.Close)
	return server
}

// open opens a window without topics.
func (c caller) open(t *testing.T) *window {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.serve(t).URL+"/api/realtime", nil)
	conformance.Must(t, err)
	got, err := http.DefaultClient.Do(r)
	conformance.Must(t, err)
	w := &window{events: make(chan event, 100), status: got.StatusCode, close: cancel}
	if got.StatusCode != http.StatusOK {
		conformance.Must(t, got.Body.Close())
		return w
	}
	connected := make(chan string, 1)
	go func() {
		defer got.Body.Close()
		defer close(w.events)
		w.read(bufio.NewScanner(got.Body), connected)
	}()
	select {
	case w.id = <-connected:
	case <-time.After(conformance.Patience):
		t.Fatal("the stream says nothing")
	}
	return w
}

// read passes events on until the stream ends.
func (w *window) read(lines *bufio.Scanner, connected chan<- string) {
	lines.Buffer(nil, 1<<20)
	var next event
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		switch name {
		case "event":
			next = event{topic: strings.TrimSpace(value)}
		case "data":
			if next.topic == "PB_CONNECT" {
				var hello struct {
					ClientID string `json:"clientId"`
				}
				_ = json.Unmarshal([]byte(value), &hello)
				connected <- hello.ClientID
				continue
			}
			if json.Unmarshal([]byte(value), &next) == nil {
				w.events <- next
			}
		}
	}
}

// listen opens a window that a caller's topics are told.
func (c caller) listen(t *testing.T, topics ...string) *window {
	t.Helper()
	w := c.open(t)
	if w.status != http.StatusOK {
		t.Fatalf("the stream answered %d", w.status)
	}
	c.must(t, http.StatusNoContent, "POST", "realtime", map[string]any{"clientId": w.id, "subscriptions": topics})
	return w
}

// next returns the next event.
func (w *window) next(t *testing.T) event {
	t.Helper()
	select {
	case got, ok := <-w.events:
		if !ok {
			t.Fatal("the stream has ended")
		}
		return got
	case <-time.After(conformance.Patience):
		t.Fatal("the window hears nothing")
	}
	return event{}
}

// hearsNext checks that the next event is that of a record which the caller creates: events come in
// order, so that the window has heard of nothing that happened before.
func (w *window) hearsNext(t *testing.T, c caller, collection string, record map[string]any) {
	t.Helper()
	made := c.make(t, collection, record)
	if got := w.next(t); got.Record["id"] != made {
		t.Errorf("heard %v, want the new record and nothing before", got)
	}
}

// ends checks that the stream ends.
func (w *window) ends(t *testing.T) {
	t.Helper()
	late := time.After(conformance.Patience)
	for {
		select {
		case _, ok := <-w.events:
			if !ok {
				return
			}
		case <-late:
			t.Fatal("the stream goes on")
		}
	}
}

func listens(t *testing.T, s *suite) {
	author, id := s.filled(t)
	all := s.guest().listen(t, "entries/*")
	made := author.make(t, "entries", map[string]any{"text": "new", "author": id})
	one := author.listen(t, "entries/"+made)
	expanded := s.guest().listen(t, `entries/*?options=%7B%22query%22%3A%7B%22expand%22%3A%22author%22%2C%22fields%22%3A%22id%2Cexpand.author.id%22%7D%7D`)
	path := "collections/entries/records/" + made
	if got := all.next(t); got.Action != "create" || got.Record["text"] != "new" || got.topic != "entries/*" {
		t.Errorf("heard %v, want the create", got)
	}
	author.must(t, http.StatusOK, "PATCH", path, map[string]any{"text": "newer"})
	for _, w := range []*window{all, one} {
		if got := w.next(t); got.Action != "update" || got.Record["text"] != "newer" || got.Record["id"] != made {
			t.Errorf("heard %v, want the update", got)
		}
	}
	if got := expanded.next(t); len(got.Record) != 2 || got.Record["expand"] == nil {
		t.Errorf("heard %v, want the record's id and author", got.Record)
	}
	author.must(t, http.StatusNoContent, "DELETE", path, nil)
	for _, w := range []*window{all, one} {
		if got := w.next(t); got.Action != "delete" || got.Record["id"] != made {
			t.Errorf("heard %v, want the delete", got)
		}
	}
	author.must(t, http.StatusNoContent, "POST", "realtime", map[string]any{"clientId": one.id, "subscriptions": []string{}})
	author.make(t, "entries", map[string]any{"text": "unheard", "author": id})
	all.next(t)
	author.must(t, http.StatusNoContent, "POST", "realtime", map[string]any{"clientId": one.id, "subscriptions": []string{"entries/*"}})
	one.hearsNext(t, author, "entries", map[string]any{"text": "heard again", "author": id})
	s.guest().must(t, http.StatusNotFound, "POST", "realtime", map[string]any{"clientId": "nobody", "subscriptions": []string{"entries/*"}})
}

func listensWithRightsOnly(t *testing.T, s *suite) {
	anna, ben, ids := s.blogged(t)
	stranger := ben.listen(t, "comments/*", "comments/"+ids["nice"], "users/*")
	guest := s.guest().listen(t, "comments/*", "tags/*", "_superusers/*", "*", "")
	owner := s.owner().listen(t, "comments/*")
	writer := anna.listen(t, "comments/*")
	ben.make(t, "comments", map[string]any{"words": "secret", "post": ids["cats"]})
	for who, w := range map[string]*window{"the writer": writer, "the owner": owner} {
		if got := w.next(t); got.Record["words"] != "secret" {
			t.Errorf("%s heard %v", who, got)
		}
	}
	// What they hear next they may hear.
	s.owner().must(t, http.StatusOK, "PATCH", "collections/tags/records/"+ids["a"], map[string]any{"secret": "hidden"})
	if got := guest.next(t); got.Record["secret"] != nil || got.Record["name"] != "a" {
		t.Errorf("a guest heard %v", got.Record)
	}
	anna.must(t, http.StatusOK, "PATCH", "collections/users/records/"+ids["anna"], map[string]any{"name": "Anna"})
	if got := stranger.next(t); got.Record["email"] != nil || got.Record["name"] != "Anna" || got.Record["tokenKey"] != nil || got.Record["password"] != nil {
		t.Errorf("a stranger heard %v", got.Record)
	}
	ben.must(t, http.StatusForbidden, "POST", "realtime", map[string]any{"clientId": writer.id, "subscriptions": []string{}})
	s.owner().must(t, http.StatusNoContent, "DELETE", "collections/comments/records/"+ids["nice"], nil)
	if got := writer.next(t); got.Action != "delete" {
		t.Errorf("the writer heard %v, want the delete", got)
	}
	anna.must(t, http.StatusOK, "PATCH", "collections/users/records/"+ids["anna"], map[string]any{"name": "Anna again"})
	if got := stranger.next(t); got.Record["name"] != "Anna again" {
		t.Errorf("a stranger heard %v of a delete", got)
	}
}

func streamsEndOnRemove(t *testing.T, s *suite) {
	s.filled(t)
	w := s.guest().listen(t, "entries/*")
	conformance.Must(t, s.engine.Remove(t.Context(), s.place))
	w.ends(t)
}

func streamsEndOnRestore(t *testing.T, s *suite) {
	author, id := s.filled(t)
	w := s.guest().listen(t, "entries/*")
	snapshot := core.NewID()
	_, err := s.engine.Snapshot(t.Context(), s.place, snapshot)
	conformance.Must(t, err)
	author.make(t, "entries", map[string]any{"text": "a snapshot does not end it", "author": id})
	w.next(t)
	conformance.Must(t, s.engine.Restore(t.Context(), s.place, snapshot))
	w.ends(t)
	again := s.guest().listen(t, "entries/*")
	author.make(t, "entries", map[string]any{"text": "goes on", "author": id})
	if got := again.next(t); got.Record["text"] != "goes on" {
		t.Errorf("after the restore, heard %v", got)
	}
}

func limitsStreams(t *testing.T, s *suite) {
	s.filled(t)
	first := s.guest().listen(t, "entries/*")
	if second := s.guest().open(t); second.status != http.StatusTooManyRequests {
		t.Errorf("a stream too many answered %d", second.status)
	}
	first.close()
	first.ends(t)
	for until := time.Now().Add(conformance.Patience); ; {
		if s.guest().open(t).status == http.StatusOK {
			return
		}
		if time.Now().After(until) {
			t.Fatal("a stream that was closed still counts")
		}
		time.Sleep(time.Millisecond)
	}
}

// placesAreApart takes what belongs to one place to another one, which has the same schema.
func placesAreApart(t *testing.T, s *suite) {
	author, id := s.filled(t)
	file := s.upload(t, "hello")
	entry := s.owner().must(t, http.StatusOK, "GET", "collections/entries/records", nil).items()[0].(map[string]any)["id"].(string)
	w := s.guest().listen(t, "entries/*")
	for name, place := range map[string]backend.Place{
		"the other environment": {Project: s.place.Project, Env: core.DataLive},
		"another project":       {Project: core.NewID(), Env: core.DataTest},
	} {
		conformance.Must(t, s.engine.Apply(t.Context(), place, withAlbum()))
		there := suite{harness: s.harness, engine: s.engine, mails: s.mails, provider: s.provider, signIns: s.signIns, place: place}
		taken := caller{s: s, place: place, token: author.token}
		taken.must(t, http.StatusBadRequest, "POST", "collections/entries/records", map[string]any{"text": name, "author": id})
		if got := taken.do(t, "POST", "collections/users/auth-refresh", nil); got.status < 400 || got.status >= 500 {
			t.Errorf("%s: a token of elsewhere is refreshed: %d", name, got.status)
		}
		there.owner().must(t, http.StatusNotFound, "GET", "collections/entries/records/"+entry, nil)
		there.owner().must(t, http.StatusNotFound, "GET", file, nil)
		there.owner().must(t, http.StatusNotFound, "POST", "realtime", map[string]any{"clientId": w.id, "subscriptions": []string{"entries/*"}})
		if got := there.owner().found(t, "entries", "text", ""); len(got) != 0 {
			t.Errorf("%s holds %q", name, got)
		}
		table, err := s.engine.Query(t.Context(), place, "SELECT * FROM entries")
		conformance.Must(t, err)
		if len(table.Rows) != 0 {
			t.Errorf("%s: a query reads %v", name, table.Rows)
		}
		other, otherID := there.signUp(t, "anna@example.com")
		other.make(t, "entries", map[string]any{"text": "elsewhere", "author": otherID})
	}
	w.hearsNext(t, author, "entries", map[string]any{"text": "here", "author": id})
}
