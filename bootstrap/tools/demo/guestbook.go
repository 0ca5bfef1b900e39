package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// entriesPath is where pages find the entries of the guestbook, in previews and sites alike.
const entriesPath = "/_data/collections/entries/records"

// walkGuestbook lets the agent build an application with a backend, and uses it as visitors do.
// What a model would build is not known, so only the script of the demo is asked.
func (w *walker) walkGuestbook() error {
	if !w.scripted {
		say("left out: a model may build it in another way")
		return nil
	}
	book := &walker{client: w.client, ctx: w.ctx, workspace: w.workspace}
	for _, step := range []func() error{
		book.createBook, book.openBook, book.readSeed, book.signBook, book.publishBook,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) createBook() error {
	body := map[string]string{"name": "My guestbook", "template": "static-html"}
	if err := w.call(w.ctx, http.MethodPost, "/workspaces/"+string(w.workspace)+"/projects", body, &w.project); err != nil {
		return err
	}
	return w.ask("Please build a guestbook.")
}

func (w *walker) openBook() error {
	state, err := w.awaitPreview()
	w.preview = state.URL
	say("its preview: %s", w.preview)
	return err
}

// page is a page of the guestbook's entries.
type page struct {
	Items []struct {
		ID, Author, Text string
	}
}

func (w *walker) readSeed() error {
	var seeded page
	if err := visitor(w.preview, "").call(w.ctx, http.MethodGet, entriesPath, nil, &seeded); err != nil {
		return err
	}
	for _, entry := range seeded.Items {
		say("seeded: %s", entry.Text)
	}
	if len(seeded.Items) == 0 {
		return errors.New("the preview has no test data")
	}
	return nil
}

// signBook signs a visitor up in the preview, and lets them write an entry and try to delete that
// of somebody else.
func (w *walker) signBook() error {
	guest := map[string]string{
		"email": fmt.Sprintf("visitor-%d@example.com", time.Now().UnixNano()), "password": "a visitor's password",
		"passwordConfirm": "a visitor's password", "name": "Visitor",
	}
	public := visitor(w.preview, "")
	if err := public.call(w.ctx, http.MethodPost, "/_data/collections/users/records", guest, new(json.RawMessage)); err != nil {
		return err
	}
	var session struct {
		Token  string
		Record struct{ ID, Name string }
	}
	credentials := map[string]string{"identity": guest["email"], "password": guest["password"]}
	if err := public.call(w.ctx, http.MethodPost, "/_data/collections/users/auth-with-password", credentials, &session); err != nil {
		return err
	}
	say("%s has signed up in the preview", session.Record.Name)
	signedIn := visitor(w.preview, session.Token)
	own := map[string]string{"text": "Written over HTTP", "author": session.Record.ID}
	if err := signedIn.call(w.ctx, http.MethodPost, entriesPath, own, new(json.RawMessage)); err != nil {
		return err
	}
	var all page
	if err := public.call(w.ctx, http.MethodGet, entriesPath+"?sort=-created", nil, &all); err != nil {
		return err
	}
	for _, entry := range all.Items {
		if entry.Author != session.Record.ID {
			return w.mayNotDelete(signedIn, entriesPath+"/"+entry.ID)
		}
		say("their own entry: %s", entry.Text)
	}
	return errors.New("nobody else has written an entry")
}

func (w *walker) mayNotDelete(c *client, path string) error {
	response, err := c.send(w.ctx, http.MethodDelete, c.base+path, nil)
	var refused *refusal
	switch {
	case err == nil:
		_ = response.Body.Close()
		return errors.New("somebody could delete another's entry")
	case !errors.As(err, &refused) || refused.status != http.StatusNotFound:
		return err
	}
	say("they may not delete somebody else's")
	return nil
}

func (w *walker) publishBook() error {
	if err := w.publish(); err != nil {
		return err
	}
	var live page
	if err := visitor(w.site, "").call(w.ctx, http.MethodGet, entriesPath, nil, &live); err != nil {
		return err
	}
	if len(live.Items) != 0 {
		return fmt.Errorf("the published guestbook has %d entries, want it to begin empty", len(live.Items))
	}
	say("published at %s, where it begins empty", w.site)
	return nil
}

// visitor calls a page's host as an end user of the application.
func visitor(base, token string) *client {
	c := newClient(base)
	c.token = token
	return c
}
