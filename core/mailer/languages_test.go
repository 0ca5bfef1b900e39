package mailer

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/mail"
)

// written are all mails in a language.
func written(t *testing.T, language core.Language) map[letterKind]mail.Message {
	t.Helper()
	invitation := Invitation{To: "grace@example.com", Workspace: "Team", InvitedBy: "Ada", Role: core.RoleAdmin, Token: "secret", Language: language}
	invite, err := inviteMail(core.NewID(), origin, invitation)
	if err != nil {
		t.Fatal(err)
	}
	reset, err := passwordResetMail(core.NewID(), origin, language, "grace@example.com", "secret")
	if err != nil {
		t.Fatal(err)
	}
	joining, err := instanceInviteMail(core.NewID(), origin, invitation)
	if err != nil {
		t.Fatal(err)
	}
	mails := map[letterKind]mail.Message{letterInvite: invite, letterInstanceInvite: joining, letterPasswordReset: reset}
	for _, kind := range []core.TicketKind{core.TicketVerifyEmail, core.TicketChangeEmail} {
		if mails[letterProof+letterKind(" "+kind)], err = proofMail(core.NewID(), origin, language, "grace@example.com", kind, "secret"); err != nil {
			t.Fatal(err)
		}
	}
	for _, kind := range noticeKinds() {
		notice := Notice{Kind: kind, Device: "secret", Address: "192.0.2.1", Name: "laptop"}
		if mails[letterNotice+letterKind(" "+kind)], err = noticeMail(core.NewID(), origin, language, "grace@example.com", notice); err != nil {
			t.Fatal(err)
		}
	}
	for _, gone := range []bool{false, true} {
		webhook := DisabledWebhook{WorkspaceID: core.NewID(), Workspace: "Team", Name: "secret", Gone: gone}
		if mails[letterWebhook+letterKind(fmt.Sprint(" ", gone))], err = webhookMail(core.NewID(), origin, language, "grace@example.com", webhook); err != nil {
			t.Fatal(err)
		}
	}
	for _, project := range []string{"", "Shop"} {
		reply := CommentReply{ProjectID: core.NewID(), ThreadID: core.NewID(), Project: project, Name: "secret"}
		if mails[letterComment+letterKind(" "+project)], err = commentMail(core.NewID(), origin, language, "grace@example.com", reply); err != nil {
			t.Fatal(err)
		}
	}
	return mails
}

func TestEveryMailIsInEveryLanguage(t *testing.T) {
	english := written(t, "")
	var folders []string
	entries, err := fs.ReadDir(texts, "texts")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		folders = append(folders, entry.Name())
	}
	for _, language := range core.Languages() {
		if !slices.Contains(folders, string(language)) || len(folders) != len(core.Languages()) {
			t.Errorf("got texts in %q, want them in %q", folders, core.Languages())
		}
		for kind, message := range written(t, language) {
			if err := message.Check(); err != nil {
				t.Errorf("%s in %s: %v", kind, language, err)
			}
			if !strings.Contains(message.HTML, `<html lang="`+string(language)+`">`) || !strings.Contains(message.HTML, "<title>"+message.Subject) && kind == letterPasswordReset {
				t.Errorf("got %s, want a page in %s", message.HTML, language)
			}
			if same := message.Text == english[kind].Text || message.Subject == english[kind].Subject; same != (language == core.LanguageEnglish) {
				t.Errorf("got %q and %s, want them in %s", message.Subject, message.Text, language)
			}
			for _, fact := range []string{origin, "secret", "grace@example.com"} {
				// An address that has left an account has no link to it.
				if notice, is := strings.CutPrefix(string(kind), string(letterNotice)+" "); is && fact == origin && endsAddress(NoticeKind(notice)) {
					continue
				}
				if !strings.Contains(message.Text, fact) || !strings.Contains(message.HTML, fact) {
					t.Errorf("got %s, want %q in both parts", message.Text, fact)
				}
			}
		}
	}
}

func TestAResetIsInTheLanguageOfTheAccount(t *testing.T) {
	for _, c := range []struct{ own, asked, want core.Language }{
		{"", "", core.LanguageEnglish},
		{"", core.LanguageGerman, core.LanguageGerman},
		{core.LanguageGerman, core.LanguageEnglish, core.LanguageGerman},
	} {
		inOffice(t, func(t *testing.T, o *office) {
			user := o.user("ada@example.com")
			_, err := o.store.Tables().Users.Update(t.Context(), user.ID, func(user *core.User) error {
				user.Language = c.own
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			o.resetIn("ada@example.com", c.asked)
			o.start(o.box)
			mails, err := o.box.Await(t.Context(), "ada@example.com", 1)
			if err != nil {
				t.Fatal(err)
			}
			if want := written(t, c.want)[letterPasswordReset].Subject; mails[0].Subject != want {
				t.Errorf("an account in %q, asked in %q: got %q, want %q", c.own, c.asked, mails[0].Subject, want)
			}
		})
	}
}
