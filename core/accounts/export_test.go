package accounts_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/accounts"
)

// document is what a complete export has.
type document struct {
	accounts.Export
	Log      []core.AuditEntry
	Messages []accounts.ExportedMessage
}

func TestAnExportHasLongListsAndNobodyElse(t *testing.T) {
	w := newWorld(t)
	admin, _ := w.signUp("admin@example.com")
	session, home := w.signUp("ada@example.com")
	tables, ctx := w.store.Tables(), t.Context()
	// More than a page of each, of which others said a half.
	const count = 450
	var entries []core.AuditEntry
	for i := range count {
		entries = append(entries, core.AuditEntry{
			ID: core.NewID(), PersonID: home.User.ID, Action: core.AuditPersonSignedOut, Target: fmt.Sprint(i),
			Actor: &core.AuditActor{UserID: admin.User.ID, Email: admin.User.Email}, IP: "198.51.100.7", CreatedAt: core.At(w.now),
		})
	}
	wantCode(t, "the log", tables.Audit.Append(ctx, entries), "")
	project := core.Project{ID: core.NewID(), WorkspaceID: home.Workspace.ID, Slug: "shop", Name: "Shop", Visibility: core.VisibilityPrivate, CreatedBy: home.User.ID}
	wantCode(t, "the project", tables.Projects.Create(ctx, project), "")
	chat := core.Chat{ID: core.NewID(), ProjectID: project.ID, Mode: core.ModeBuild}
	wantCode(t, "the chat", tables.Chats.Create(ctx, chat), "")
	for i := range count {
		by := home.User.ID
		if i%2 == 1 {
			by = admin.User.ID
		}
		_, err := tables.Events.Append(ctx, chat.ID, core.At(w.now), []core.Payload{core.UserMessage{Text: fmt.Sprint("said ", i), By: by}})
		wantCode(t, "a message", err, "")
	}

	export, err := w.Export(ctx, w.as(session))
	wantCode(t, "the export", err, "")
	var written bytes.Buffer
	wantCode(t, "writing", export.Write(ctx, &written), "")
	var got document
	if err := json.Unmarshal(written.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Log) != count+2 || len(got.Messages) != count/2 || got.Messages[1].Text != "said 2" || got.Messages[1].Project != "Shop" {
		t.Errorf("got %d entries and %d messages, want all of the log and what the person said", len(got.Log), len(got.Messages))
	}
	if text := written.String(); strings.Contains(text, admin.User.Email) || strings.Contains(text, "198.51.100.7") || strings.Contains(text, "said 1\"") {
		t.Errorf("got %.2000s, want nothing of the admin", text)
	}
}

// full takes some bytes.
type full struct{ room int }

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errors.New("the client has gone")
	}
	return len(p), nil
}

func TestAnExportThatBreaksOffSaysSo(t *testing.T) {
	w := newWorld(t)
	session, _ := w.signUp("ada@example.com")
	_, _, secret := w.program("bob@example.com")
	program, err := w.Authenticate(t.Context(), secret)
	wantCode(t, "the token", err, "")
	_, err = w.Export(t.Context(), program)
	wantCode(t, "an API token", err, core.CodeInsufficientScope)
	export, err := w.Export(t.Context(), w.as(session))
	wantCode(t, "the export", err, "")
	var whole bytes.Buffer
	wantCode(t, "writing", export.Write(t.Context(), &whole), "")
	for room := range whole.Len() {
		if err := export.Write(t.Context(), &full{room}); err == nil {
			t.Fatalf("got no error for a client that takes %d of %d bytes", room, whole.Len())
		}
	}
}
