package backend

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/atelierhq/atelier/adapters/memory/backend/records"
	"github.com/atelierhq/atelier/adapters/memory/backend/rules"
	"github.com/atelierhq/atelier/adapters/memory/backend/values"
	"github.com/atelierhq/atelier/core"
)

// Bounds of realtime connections.
const (
	maxStream   = time.Hour
	maxTopics   = 1000
	maxMessages = 1000
)

// streams are the realtime connections of a place.
type streams struct {
	mu      sync.Mutex
	clients map[string]*client
	// waiting ends the sign-ins that wait for a provider.
	waiting map[*context.CancelFunc]bool
}

// client is a realtime connection. The fields below messages are guarded by streams.mu.
type client struct {
	id       string
	messages chan message
	topics   []string
	owner    bool
	// collection, user and key name the user who listens, none without a user.
	collection, user, key string
}

// message is something to tell a client; no message is the end.
type message struct {
	topic string
	data  []byte
}

// join adds a client, unless there are too many.
func (s *streams) join(most int) *client {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.clients) >= most {
		return nil
	}
	if s.clients == nil {
		s.clients = make(map[string]*client)
	}
	one := &client{id: string(core.NewID()), messages: make(chan message, maxMessages)}
	s.clients[one.id] = one
	return one
}

// leave ends a client's messages. The caller holds mu.
func (s *streams) leave(one *client) {
	if s.clients[one.id] == one {
		delete(s.clients, one.id)
		close(one.messages)
	}
}

// endStreams ends the realtime connections of the place.
func (d *dataSet) endStreams() {
	d.streams.mu.Lock()
	defer d.streams.mu.Unlock()
	for _, one := range d.streams.clients {
		d.streams.leave(one)
	}
	for cancel := range d.streams.waiting {
		(*cancel)()
	}
}

// stream answers GET /api/realtime with events until the caller goes or the place ends.
func (r *request) stream(w http.ResponseWriter, from *http.Request) error {
	d := r.set
	one := d.streams.join(d.config.Limits.Streams)
	if one == nil {
		return core.Errorf(core.CodeRateLimited, "there are too many realtime connections")
	}
	defer func() {
		d.streams.mu.Lock()
		defer d.streams.mu.Unlock()
		d.streams.leave(one)
	}()
	if _, err := d.present(); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	end := time.NewTimer(maxStream)
	defer end.Stop()
	next, more := message{topic: "PB_CONNECT", data: fmt.Appendf(nil, `{"clientId":%q}`, one.id)}, true
	for more {
		if _, err := fmt.Fprintf(w, "id:%s\nevent:%s\ndata:%s\n\n", one.id, next.topic, next.data); err != nil {
			return nil
		}
		if err := http.NewResponseController(w).Flush(); err != nil {
			return nil
		}
		select {
		case next, more = <-one.messages:
		case <-from.Context().Done():
			return nil
		case <-end.C:
			return nil
		}
	}
	return nil
}

// subscribe answers POST /api/realtime: what a client wants to hear of, and as whom.
func (r *request) subscribe() error {
	topics := values.Texts(r.Body["subscriptions"])
	for _, topic := range topics {
		if err := r.set.checkTopic(r, topic); err != nil {
			return err
		}
	}
	if len(topics) > maxTopics {
		return &records.Invalid{Message: "Something went wrong while processing your request.", Flaws: map[string]*records.Flaw{"subscriptions": records.FlawInvalid}}
	}
	s := &r.set.streams
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.clients[r.text("clientId")]
	if one == nil {
		return refusal(http.StatusNotFound, "Missing or invalid client id.")
	}
	var as client
	as.owner = r.owner
	if r.Auth.Exists() {
		as.collection, as.user, as.key = r.Auth.Collection.ID, r.Auth.ID, r.Auth.Text("tokenKey")
	}
	if (one.owner || one.user != "") && (one.owner != as.owner || one.collection != as.collection || one.user != as.user) {
		return refusal(http.StatusForbidden, "The current and the previous request authorization don't match.")
	}
	one.owner, one.collection, one.user, one.key = as.owner, as.collection, as.user, as.key
	one.topics = topics
	return nil
}

// publish tells the clients what a transaction has done. Writers call it one after the other.
func (d *dataSet) publish(tx *records.Transaction) {
	d.streams.mu.Lock()
	defer d.streams.mu.Unlock()
	for _, event := range tx.Events {
		for _, one := range d.streams.clients {
			d.tell(one, event)
		}
	}
}

// tell sends a client an event for each of its topics that the event belongs to.
func (d *dataSet) tell(one *client, event records.Event) {
	for _, topic := range one.topics {
		name, parameters, _ := strings.Cut(topic, "?")
		c := event.Collection
		rule := c.Rules.List
		switch name {
		case c.Name + "/*", c.ID + "/*", c.Name, c.ID:
		case c.Name + "/" + event.ID, c.ID + "/" + event.ID:
			rule = c.Rules.View
		default:
			continue
		}
		r := d.listener(one, event.Seen, parameters)
		if may, err := r.allowed(rule, event.Row); err != nil || !may || !r.wants(event.Row) {
			continue
		}
		text, err := json.Marshal(map[string]any{"action": event.Action, "record": pick(presenter{r}.present(event.Row), r.Query["fields"])})
		if err != nil {
			continue
		}
		select {
		case one.messages <- message{topic: topic, data: text}:
		default:
			d.streams.leave(one) // it reads too slowly, and can connect again
			return
		}
	}
}

// checkTopic refuses a topic whose filter would tell what the caller may not see.
func (d *dataSet) checkTopic(by *request, topic string) error {
	name, parameters, _ := strings.Cut(topic, "?")
	name, _, _ = strings.Cut(name, "/")
	c := by.state.Collection(name)
	if c == nil || by.owner {
		return nil
	}
	r := *by
	r.Query, _ = optionsOf(parameters)
	if _, err := r.scope(c).Compile(r.Query["filter"]); errors.Is(err, rules.ErrHidden) {
		return err
	}
	return nil
}

// wants reports whether the filter of a topic, if any, lets a record through.
func (r *request) wants(one records.Row) bool {
	text := r.Query["filter"]
	if text == "" {
		return true
	}
	l := listing{r, one.Collection}
	if l.checkText(text) != nil {
		return false
	}
	made, err := l.scope(l.c).Compile(text)
	if err != nil {
		return false
	}
	holds, err := made.Holds(one)
	return holds && err == nil
}

// listener is the request as which the rules are asked for a client.
func (d *dataSet) listener(one *client, seen *records.State, parameters string) *request {
	r := &request{set: d, state: seen, owner: one.owner, Request: rules.Request{Context: "realtime", Method: http.MethodGet}}
	r.Query, r.Headers = optionsOf(parameters)
	if one.user == "" {
		return r
	}
	if c := seen.Collection(one.collection); c != nil {
		if who, ok := seen.Find(c, one.user); ok && who.Text("tokenKey") == one.key {
			r.Auth = who
		}
	}
	return r
}

// optionsOf returns the query and the headers in the parameters of a topic.
func optionsOf(parameters string) (query, headers map[string]string) {
	var options struct{ Query, Headers map[string]any }
	if given, err := url.ParseQuery(parameters); err == nil {
		_ = json.Unmarshal([]byte(given.Get("options")), &options) // wrong options count as none
	}
	return texts(options.Query), texts(options.Headers)
}

// texts returns the options of a topic as the query and the headers of a request are.
func texts(options map[string]any) map[string]string {
	made := make(map[string]string, len(options))
	for name, value := range options {
		made[strings.ReplaceAll(name, "-", "_")] = values.Text(value)
	}
	return made
}
