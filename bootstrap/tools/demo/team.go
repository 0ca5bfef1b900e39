package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/http"
	"net/mail"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
)

// mailTime is how long the mail may take to arrive in the outbox.
const mailTime = 20 * time.Second

// invite invites a second person into the workspace, who accepts by the link in the mail.
func (w *walker) invite() error {
	email := fmt.Sprintf("guest-%d@example.com", time.Now().UnixNano())
	body := map[string]string{"email": email, "role": string(core.RoleMember)}
	if err := w.call(w.ctx, http.MethodPost, "/workspaces/"+string(w.workspace)+"/invites", body, &core.Invite{}); err != nil {
		return err
	}
	say("%s is invited as a member", email)
	link, err := w.waitForLink(email)
	if err != nil {
		return err
	}
	say("the mail in %s says: %s", w.outbox, link)
	if w.guest, err = w.signUpGuest(email); err != nil {
		return err
	}
	token := link[strings.LastIndexByte(link, '/')+1:]
	if err := w.guest.call(w.ctx, http.MethodPost, "/invites/"+token+"/accept", nil, &core.Workspace{}); err != nil {
		return err
	}
	say("%s signed up and accepted", email)
	return nil
}

func (w *walker) signUpGuest(email string) (*client, error) {
	guest := newClient(w.base)
	var answer struct {
		AccessToken string `json:"accessToken"`
	}
	body := map[string]string{"email": email, "password": "another correct horse", "displayName": "Guest"}
	if err := guest.call(w.ctx, http.MethodPost, "/auth/signup", body, &answer); err != nil {
		return nil, err
	}
	guest.token = answer.AccessToken
	return guest, nil
}

// waitForLink reads the invitation's link from the mail to an address: without an SMTP
// server the service leaves mails in its outbox.
func (w *walker) waitForLink(email string) (string, error) {
	ctx, cancel := context.WithTimeout(w.ctx, mailTime)
	defer cancel()
	for {
		link, err := findLink(w.outbox, email)
		if err != nil || link != "" {
			return link, err
		}
		if ctxsync.Sleep(ctx, 200*time.Millisecond) != nil {
			return "", fmt.Errorf("no mail to %s arrived in %s: the service must run on this machine, without SMTP_URL", email, w.outbox)
		}
	}
}

var invitationLink = regexp.MustCompile(`https?://\S+/invites/[A-Za-z0-9_-]+`)

// findLink searches the outbox, the newest mail first. It returns "" if there is no mail
// to the address.
func findLink(outbox, email string) (string, error) {
	files, err := filepath.Glob(filepath.Join(outbox, "*.eml"))
	if err != nil {
		return "", err
	}
	slices.Sort(files)
	for _, file := range slices.Backward(files) {
		message, err := readMail(file)
		if err != nil {
			return "", err
		}
		if strings.Contains(message.Header.Get("To"), email) {
			text, err := plainText(message)
			if link := invitationLink.FindString(text); link != "" || err != nil {
				return link, err
			}
		}
	}
	return "", nil
}

func readMail(file string) (*mail.Message, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return mail.ReadMessage(strings.NewReader(string(content)))
}

// plainText returns the part of a mail that is plain text.
func plainText(message *mail.Message) (string, error) {
	kind, parameters, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	if err != nil {
		return "", err
	}
	if !strings.HasPrefix(kind, "multipart/") {
		return "", fmt.Errorf("the mail is %s, not of several parts", kind)
	}
	parts := multipart.NewReader(message.Body, parameters["boundary"])
	for {
		part, err := parts.NextRawPart()
		if err != nil {
			return "", errors.Join(errors.New("the mail has no plain text"), err)
		}
		if strings.HasPrefix(part.Header.Get("Content-Type"), "text/plain") {
			return decoded(part)
		}
	}
}

func decoded(part *multipart.Part) (string, error) {
	var content io.Reader = part
	if strings.EqualFold(part.Header.Get("Content-Transfer-Encoding"), "quoted-printable") {
		content = quotedprintable.NewReader(part)
	}
	text, err := io.ReadAll(content)
	return string(text), err
}

// tryAsGuest shows what a member may do, and what the service refuses them.
func (w *walker) tryAsGuest() error {
	workspace := "/workspaces/" + string(w.workspace)
	if err := w.guest.call(w.ctx, http.MethodGet, w.path(""), nil, &core.Project{}); err != nil {
		return err
	}
	say("the guest may open %q", w.project.Name)
	for _, try := range []struct {
		what, method, path string
		body               any
	}{
		{"rename the workspace", http.MethodPatch, workspace, map[string]string{"name": "Mine"}},
		{"invite others", http.MethodPost, workspace + "/invites", map[string]string{"email": "x@example.com", "role": "member"}},
		{"connect an AI provider", http.MethodPost, workspace + "/ai-providers", map[string]string{"kind": "demo", "name": "Mine"}},
		{"read the audit log", http.MethodGet, workspace + "/audit", nil},
		{"delete the project for good", http.MethodDelete, w.path("") + "?hard=true", nil},
	} {
		if err := w.expectRefusal(try.what, try.method, try.path, try.body); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) expectRefusal(what, method, path string, body any) error {
	response, err := w.guest.send(w.ctx, method, w.base+path, body)
	var no *refusal
	if errors.As(err, &no) && no.status == http.StatusForbidden {
		say("the guest may not %s: %d %s", what, no.status, no.code)
		return nil
	}
	if err == nil {
		_ = response.Body.Close()
		err = errors.New("it was allowed")
	}
	return fmt.Errorf("the guest tried to %s: %w", what, err)
}
