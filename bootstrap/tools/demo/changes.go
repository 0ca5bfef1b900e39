package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
)

// followChange follows the entries as a second window does, has a member change one in the
// studio's data pane, and waits until the window hears of it.
func (w *guestbook) followChange() error {
	window := visitor(w.preview, "")
	response, err := window.send(w.ctx, http.MethodGet, w.preview+"/_data/realtime", nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	events := bufio.NewScanner(response.Body)
	var connected struct{ ClientID string }
	if err := nextEvent(events, &connected); err != nil {
		return err
	}
	wanted := map[string]any{"clientId": connected.ClientID, "subscriptions": []string{"entries/*"}}
	subscribed, err := window.send(w.ctx, http.MethodPost, w.preview+"/_data/realtime", wanted)
	if err != nil {
		return err
	}
	_ = subscribed.Body.Close()
	changed := map[string]string{"text": "Changed in the studio"}
	if err := w.call(w.ctx, http.MethodPatch, w.records(core.DataTest)+"/"+w.own, changed, new(struct{})); err != nil {
		return err
	}
	var change struct {
		Action string
		Record entry
	}
	if err := nextEvent(events, &change); err != nil {
		return err
	}
	say("a second window hears of the change in the studio: %q", change.Record.Text)
	return nil
}

// nextEvent decodes the data of a stream's next event.
func nextEvent(events *bufio.Scanner, into any) error {
	for events.Scan() {
		if data, ok := strings.CutPrefix(events.Text(), "data:"); ok {
			return json.Unmarshal([]byte(data), into)
		}
	}
	return errors.Join(errors.New("the stream has ended"), events.Err())
}

// readMail has the visitor forget their password. The mail is for the studio alone.
func (w *guestbook) readMail() error {
	form := map[string]string{"email": w.email}
	response, err := visitor(w.preview, "").send(w.ctx, http.MethodPost, w.preview+"/_data/collections/users/request-password-reset", form)
	if err != nil {
		return err
	}
	_ = response.Body.Close()
	for {
		var all struct{ Items []core.TestMail }
		if err := w.call(w.ctx, http.MethodGet, w.path("/backend/test/mails"), nil, &all); err != nil {
			return err
		}
		for _, mail := range all.Items {
			if mail.To == w.email {
				say("a mail to a test user stays in the studio: %s", mail.Subject)
				return nil
			}
		}
		if err := ctxsync.Sleep(w.ctx, 200*time.Millisecond); err != nil {
			return err
		}
	}
}
