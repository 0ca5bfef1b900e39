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
	book := &guestbook{walker: &walker{client: w.client, ctx: w.ctx, workspace: w.workspace}}
	for _, step := range []func() error{
		book.create, book.open, book.readSeed, book.sign, book.followChange, book.readMail, book.attack, book.release,
		book.addColumn, book.dropColumn, book.rollBack,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// guestbook is the walk through an application with data.
type guestbook struct {
	*walker
	// email is the address with which a visitor signed up in the preview, own the entry there.
	email, own string
	// schema is the schema file as the agent wrote it.
	schema string
}

func (w *guestbook) create() error {
	body := map[string]string{"name": "My guestbook", "template": "static-html"}
	if err := w.call(w.ctx, http.MethodPost, "/workspaces/"+string(w.workspace)+"/projects", body, &w.project); err != nil {
		return err
	}
	return w.ask("Please build a guestbook.")
}

func (w *guestbook) open() error {
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

func (w *guestbook) readSeed() error {
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

// sign signs a visitor up in the preview, and lets them write an entry and try to delete that
// of somebody else.
func (w *guestbook) sign() error {
	w.email = fmt.Sprintf("visitor-%d@example.com", time.Now().UnixNano())
	signedIn, id, err := w.signUpAt(w.preview, w.email)
	if err != nil {
		return err
	}
	say("a visitor has signed up in the preview")
	if w.own, err = w.write(signedIn, id, "Written over HTTP"); err != nil {
		return err
	}
	var all page
	if err := visitor(w.preview, "").call(w.ctx, http.MethodGet, entriesPath+"?sort=-created", nil, &all); err != nil {
		return err
	}
	for _, entry := range all.Items {
		if entry.Author != id {
			return w.mayNotDelete(signedIn, entriesPath+"/"+entry.ID)
		}
		say("their own entry: %s", entry.Text)
	}
	return errors.New("nobody else has written an entry")
}

// signUpAt signs a visitor up at a page, and in. It returns them and their id.
func (w *guestbook) signUpAt(base, email string) (*client, string, error) {
	const password = "a visitor's password"
	public := visitor(base, "")
	form := map[string]string{"email": email, "password": password, "passwordConfirm": password, "name": "Visitor"}
	if err := public.call(w.ctx, http.MethodPost, "/_data/collections/users/records", form, new(json.RawMessage)); err != nil {
		return nil, "", err
	}
	var session struct {
		Token  string
		Record struct{ ID string }
	}
	credentials := map[string]string{"identity": email, "password": password}
	err := public.call(w.ctx, http.MethodPost, "/_data/collections/users/auth-with-password", credentials, &session)
	return visitor(base, session.Token), session.Record.ID, err
}

// write adds an entry and returns its id.
func (w *guestbook) write(signedIn *client, author, text string) (string, error) {
	var entry struct{ ID string }
	err := signedIn.call(w.ctx, http.MethodPost, entriesPath, map[string]string{"text": text, "author": author}, &entry)
	return entry.ID, err
}

func (w *guestbook) mayNotDelete(c *client, path string) error {
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

// visitor calls a page's host as an end user of the application.
func visitor(base, token string) *client {
	c := newClient(base)
	c.token = token
	return c
}
