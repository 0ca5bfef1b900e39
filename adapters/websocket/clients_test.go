package websocket_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	ws "github.com/coder/websocket"

	"github.com/atelierhq/atelier/adapters/internal/yprotocol"
	"github.com/atelierhq/atelier/adapters/yjs"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/replica"
)

// copyist is a client of the binary protocol with its copy of the document.
type copyist struct {
	h    *house
	conn *ws.Conn
	mu   sync.Mutex
	doc  replica.Document
	// present maps clients to their awareness; refused are the refusals of the room.
	present map[uint64]string
	refused []string
	failed  error
}

// copies opens the document as somebody, with a copy from earlier or none.
func (h *house) copies(token string, doc replica.Document) *copyist {
	h.t.Helper()
	if doc == nil {
		var err error
		doc, err = yjs.Maker{}.Open(nil)
		h.must(err)
	}
	c := &copyist{h: h, conn: h.dial(token), doc: doc, present: map[uint64]string{}}
	c.send(yprotocol.SyncStep1, doc.StateVector())
	go c.listen()
	return c
}

func (c *copyist) send(kind yprotocol.Kind, body []byte) {
	c.h.t.Helper()
	c.h.must(c.conn.Write(c.h.t.Context(), ws.MessageBinary, yprotocol.Message{Kind: kind, Body: body}.Frame()))
}

func (c *copyist) listen() {
	for {
		_, frame, err := c.conn.Read(context.Background())
		if err == nil {
			err = c.take(frame)
		}
		if err != nil {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.failed = err
			return
		}
	}
}

func (c *copyist) take(frame []byte) error {
	message, err := yprotocol.Read(frame)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch message.Kind {
	case yprotocol.SyncStep1:
		missing, err := c.doc.Encode(message.Body)
		if err != nil {
			return err
		}
		return c.conn.Write(context.Background(), ws.MessageBinary, yprotocol.Message{Kind: yprotocol.SyncStep2, Body: missing}.Frame())
	case yprotocol.SyncStep2, yprotocol.Update:
		_, err := c.doc.Apply(message.Body)
		return err
	case yprotocol.Awareness:
		states, err := yprotocol.ReadStates(message.Body)
		for _, s := range states {
			c.present[s.Client] = string(s.Value)
		}
		return err
	case yprotocol.PermissionDenied:
		c.refused = append(c.refused, string(message.Body))
	}
	return nil
}

// types changes a text of the copy, and sends the change.
func (c *copyist) types(path core.ProjectPath, after, inserted string) {
	c.h.t.Helper()
	c.mu.Lock()
	text, _ := c.doc.Text(path)
	at := strings.Index(text, after)
	if at < 0 {
		c.h.t.Fatalf("no %q in %q", after, text)
	}
	change, err := c.doc.Edit(path, []replica.Edit{{At: at + len(after), Insert: inserted}})
	c.mu.Unlock()
	c.h.must(err)
	c.send(yprotocol.Update, change.Update)
}

func (c *copyist) text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	text, _ := c.doc.Text(index)
	return text
}

func (c *copyist) waitFor(what, want string) {
	c.h.t.Helper()
	c.h.eventually(what, func() bool { return c.text() == want })
}

// shows returns a client's awareness, as far as this one received it.
func (c *copyist) shows(client uint64) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.present[client]
}

// follower is a client of events.
type follower struct {
	h    *house
	conn *ws.Conn
}

type message map[string]any

func (h *house) follows(token string) *follower {
	h.t.Helper()
	return &follower{h, h.dial(token, "atelier.v1")}
}

// next waits for the next event.
func (f *follower) next() message {
	f.h.t.Helper()
	kind, text, err := f.conn.Read(conformance.Bounded(f.h.t))
	f.h.must(err)
	var m message
	if err := json.Unmarshal(text, &m); err != nil || kind != ws.MessageText {
		f.h.t.Fatalf("got %v %q, want an object in JSON", kind, text)
	}
	return m
}

// until waits for an event of a type.
func (f *follower) until(kind string) message {
	f.h.t.Helper()
	for {
		if m := f.next(); m["type"] == kind {
			return m
		}
	}
}

func (f *follower) say(text string) {
	f.h.t.Helper()
	f.h.must(f.conn.Write(f.h.t.Context(), ws.MessageText, []byte(text)))
}
