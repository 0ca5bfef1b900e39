package mailer

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/mail"
	"github.com/atelierhq/atelier/ports/storage"
)

func TestAnInvitationHasItsLink(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		o.start(o.box)
		_, invitation := o.invite("grace@example.com", "Acme & Söhne", "Ada Lovelace")
		synctest.Wait()
		sent := o.box.Sent()
		if len(sent) != 1 || sent[0].To != "grace@example.com" || sent[0].Subject != `Invitation to the workspace "Acme & Söhne"` {
			t.Fatalf("got %+v, want the invitation", sent)
		}
		link := origin + "/invites/" + invitation.Token
		for what, text := range map[string]string{"text": sent[0].Text, "HTML": sent[0].HTML} {
			for _, want := range []string{link, "Ada Lovelace", "grace@example.com", "member", "January 8, 2000, 00:00 UTC"} {
				if !strings.Contains(text, want) {
					t.Errorf("%s: got %s, want %q in it", what, text, want)
				}
			}
		}
		if !strings.Contains(sent[0].HTML, `<a href="`+link+`">`) || !strings.Contains(sent[0].HTML, "Acme &amp; Söhne") {
			t.Errorf("got %s, want a link and an escaped name", sent[0].HTML)
		}
	})
}

func TestAWithdrawnOrReplacedInvitationIsNotSent(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		invite, _ := o.invite("grace@example.com", "Team", "Ada")
		if err := o.store.Tables().Invites.Delete(t.Context(), invite.ID); err != nil {
			t.Fatal(err)
		}
		o.start(o.box)
		time.Sleep(time.Hour)
		if sent := o.box.Sent(); len(sent) != 0 || o.waiting() != 0 {
			t.Errorf("got %d mails, want none and an empty queue", len(sent))
		}
	})
}

// TestNamesDoNoHarmInAMail has names that try to break out of their context.
func TestNamesDoNoHarmInAMail(t *testing.T) {
	for name, hostile := range map[string]string{
		"a script":           `<script>alert(1)</script>`,
		"an attribute":       `"><img src=x onerror=alert(1)>`,
		"a header":           "Team\r\nBcc: eve@example.com\r\n\r\nHello",
		"a template":         `{{.Link}}{{printf "%s" .To}}`,
		"text turned around": "Team \u202egnp.exe\u2066\u200f",
		"a line of its own":  "Team\u2028\u2029\u0085\vHello",
		"invalid bytes":      "Team\xff\xfe\x00",
		"a long one":         strings.Repeat("ä", 5000),
	} {
		t.Run(name, func(t *testing.T) {
			invitation := Invitation{To: "grace@example.com", Workspace: hostile, InvitedBy: hostile, Role: core.RoleAdmin, Token: core.NewSecret()}
			message, err := inviteMail(core.NewID(), origin, invitation)
			if err != nil {
				t.Fatal(err)
			}
			if err := message.Check(); err != nil {
				t.Errorf("got %v, want a message that can be sent", err)
			}
			checkHarmless(t, message, cleanMail(t, invitation))
		})
	}
}

// cleanMail is the mail of the same invitation with plain names.
func cleanMail(t *testing.T, invitation Invitation) mail.Message {
	t.Helper()
	invitation.Workspace, invitation.InvitedBy = "Team", "Ada"
	message, err := inviteMail(core.NewID(), origin, invitation)
	if err != nil {
		t.Fatal(err)
	}
	return message
}

func checkHarmless(t *testing.T, message, usual mail.Message) {
	t.Helper()
	for _, bad := range []string{"<script", "<img", "Bcc:\n", "\r", "\u202e", "\u2066", "\u2028", "\x00"} {
		if strings.Contains(message.HTML, bad) || strings.Contains(message.Subject+message.Text, bad) && !strings.HasPrefix(bad, "<") {
			t.Errorf("got %q in %+v", bad, message)
		}
	}
	if links := strings.Count(message.HTML, "<a "); links != 1 || strings.Count(message.Text, origin) != 1 {
		t.Errorf("got %d links in %+v, want one", links, message)
	}
	if strings.Count(message.Text, "\n") != strings.Count(usual.Text, "\n") || strings.ContainsAny(message.Subject, "\r\n") {
		t.Errorf("got %q, want the lines of every invitation", message.Text)
	}
	if len(message.HTML) > len(usual.HTML)+3000 || len(message.Subject) > 600 {
		t.Errorf("got %d bytes and a subject of %d, want names cut", len(message.HTML), len(message.Subject))
	}
}

func TestAPasswordResetHasATicketForAnHour(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		user := o.user("ada@example.com")
		o.reset("ada@example.com")
		time.Sleep(10 * time.Minute) // nobody sends yet
		o.start(o.box)
		synctest.Wait()
		sent := o.box.Sent()
		if len(sent) != 1 || sent[0].Subject != "Reset your Atelier password" {
			t.Fatalf("got %v, want the mail", sent)
		}
		secret := token(t, sent[0], origin+"/reset-password?token=")
		if !strings.Contains(sent[0].HTML, `<a href="`+origin+"/reset-password?token="+secret+`">`) {
			t.Errorf("got %s, want the same link", sent[0].HTML)
		}
		ticket, err := o.store.Tables().Tickets.Take(t.Context(), core.TicketPasswordReset, core.HashSecret(secret))
		want := core.Ticket{Kind: core.TicketPasswordReset, Hash: core.HashSecret(secret), UserID: user.ID, ExpiresAt: core.At(time.Now().Add(time.Hour))}
		if err != nil || ticket != want {
			t.Errorf("got %+v, %v, want %+v", ticket, err, want)
		}
	})
}

// TestEnumerationByTheQueue: the same is stored for an address with an account and
// for one without, and nobody outside sees the outcome.
func TestEnumerationByTheQueue(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		o.user("ada@example.com")
		o.reset("ada@example.com")
		o.reset("eve@example.com")
		var jobs []core.MailJob
		for range 2 {
			job, err := o.store.Tables().Mails.Claim(t.Context(), core.At(time.Now()), core.At(time.Now()).Add(time.Minute))
			if err != nil {
				t.Fatal(err)
			}
			jobs = append(jobs, job)
		}
		if len(jobs[0].Sealed) != len(jobs[1].Sealed) || jobs[0].Attempts != jobs[1].Attempts {
			t.Errorf("got jobs of %d and %d bytes, want no difference", len(jobs[0].Sealed), len(jobs[1].Sealed))
		}
		for _, job := range jobs {
			if text := string(job.Sealed); strings.Contains(text, "ada@") || strings.Contains(text, "eve@") {
				t.Errorf("got %q, want it sealed", text)
			}
		}
		o.start(o.box)
		time.Sleep(time.Hour)
		if sent := o.box.Sent(); len(sent) != 1 || sent[0].To != "ada@example.com" || o.waiting() != 0 {
			t.Errorf("got %v, want one mail to ada and an empty queue", sent)
		}
		if log := o.log.String(); log != "" {
			t.Errorf("got %s in the log, want nothing", log)
		}
	})
}

func TestNobodyIsFloodedWithResets(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		o.start(o.box)
		o.user("ada@example.com")
		o.user("grace@example.com")
		for range 100 {
			o.reset("ada@example.com")
		}
		o.reset("grace@example.com")
		synctest.Wait()
		if sent := o.box.Sent(); len(sent) != maxResets+1 {
			t.Errorf("got %d mails, want %d to ada and one to grace", len(sent), maxResets)
		}
		time.Sleep(limitWindow)
		o.reset("ada@example.com")
		synctest.Wait()
		if sent := o.box.Sent(); len(sent) != maxResets+2 || o.waiting() != 0 {
			t.Errorf("got %d mails an hour later, want one more", len(sent))
		}
	})
}

func TestMailBombingByInvitesEndsAtALimit(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		o.start(o.box)
		for range 50 {
			o.invite("ada@example.com", "Team", "Eve")
			synctest.Wait()
		}
		o.invite("grace@example.com", "Team", "Eve")
		synctest.Wait()
		if sent := o.box.Sent(); len(sent) != maxInvites+1 || o.waiting() != 0 {
			t.Errorf("got %d mails, want %d to ada and one to grace", len(sent), maxInvites)
		}
	})
}

func TestAResetThatIsTriedAgainCountsOnce(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		o.box.SetFailure(core.Errorf(core.CodeUnavailable, "the post is closed"))
		o.start(o.box)
		o.user("ada@example.com")
		o.reset("ada@example.com")
		time.Sleep(40 * time.Minute) // seven attempts
		o.box.SetFailure(nil)
		time.Sleep(40 * time.Minute)
		if sent := o.box.Sent(); len(sent) != 1 {
			t.Errorf("got %d mails, want one", len(sent))
		}
	})
}

func TestAMailThatCannotBeOpenedIsKeptForADay(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		o.user("ada@example.com")
		job := core.MailJob{ID: core.NewID(), Sealed: []byte("sealed with another key"), DueAt: core.At(time.Now()), CreatedAt: core.At(time.Now())}
		if err := o.store.Tables().Mails.Create(t.Context(), job); err != nil {
			t.Fatal(err)
		}
		o.start(o.box)
		time.Sleep(giveUpAfter - maxWait)
		if log := o.log.String(); strings.Contains(log, "gave up") || !strings.Contains(log, "trying again") {
			t.Errorf("got %s, want it tried again, because the key may come back", log)
		}
		time.Sleep(2 * maxWait)
		if o.waiting() != 0 || len(o.box.Sent()) != 0 {
			t.Error("got the mail still there, want it given up")
		}
	})
}

// FuzzPlainName: any name becomes one short line with the same visible text.
func FuzzPlainName(f *testing.F) {
	for _, seed := range []string{"Team", "a\r\nb", "\u202e", "\xff", strings.Repeat("x", 500), "👩‍👩‍👧"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		plain := plainName(name)
		if n := len([]rune(plain)); n > maxNameChars {
			t.Errorf("got %d characters, want %d at most", n, maxNameChars)
		}
		message := mail.Message{To: "ada@example.com", Subject: plain, ID: string(core.NewID())}
		if err := message.Check(); err != nil {
			t.Errorf("%q: got %v, want a subject", plain, err)
		}
		if again := plainName(plain); again != plain {
			t.Errorf("got %q from %q, want it to stay", again, plain)
		}
	})
}

// prove asks for a mail that proves an address.
func (o *office) prove(user core.User, to string, kind core.TicketKind) error {
	o.t.Helper()
	err := o.store.InTx(o.t.Context(), func(ctx context.Context, tables storage.Tables) error {
		return o.queue.Prove(ctx, tables, to, Proof{Kind: kind, User: user.ID, Version: user.CredentialVersion})
	})
	o.queue.Wake()
	return err
}

// change changes an account.
func (o *office) change(user core.User, how func(*core.User)) {
	o.t.Helper()
	if _, err := o.store.Tables().Users.Update(o.t.Context(), user.ID, func(user *core.User) error { how(user); return nil }); err != nil {
		o.t.Fatal(err)
	}
}

func TestAProofHasATicketForADay(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		ada := o.user("ada@example.com")
		for to, kind := range map[string]core.TicketKind{"ada@example.com": core.TicketVerifyEmail, "new@example.com": core.TicketChangeEmail} {
			if err := o.prove(ada, to, kind); err != nil {
				t.Fatal(err)
			}
		}
		o.start(o.box)
		for to, kind := range map[string]core.TicketKind{"ada@example.com": core.TicketVerifyEmail, "new@example.com": core.TicketChangeEmail} {
			mails, err := o.box.Await(t.Context(), to, 1)
			if err != nil {
				t.Fatal(err)
			}
			_, rest, _ := strings.Cut(mails[0].Text, origin+"/verify-email?token=")
			token, _, _ := strings.Cut(rest, "\n")
			ticket, err := o.store.Tables().Tickets.Take(t.Context(), kind, core.HashSecret(token))
			want := core.Ticket{Kind: kind, Hash: core.HashSecret(token), UserID: ada.ID, Address: to, ExpiresAt: core.At(time.Now()).Add(24 * time.Hour)}
			if err != nil || ticket != want {
				t.Errorf("%s: got %+v, %v, want %+v", to, ticket, err, want)
			}
		}
	})
}

// TestAProofThatLostItsObjectIsNotSent changes the account while the mail waits.
func TestAProofThatLostItsObjectIsNotSent(t *testing.T) {
	for what, c := range map[string]struct {
		to   string
		kind core.TicketKind
		how  func(*core.User)
	}{
		"verified meanwhile":            {"ada@example.com", core.TicketVerifyEmail, func(u *core.User) { u.EmailVerified = true }},
		"another address meanwhile":     {"ada@example.com", core.TicketVerifyEmail, func(u *core.User) { u.Email = "other@example.com" }},
		"another password meanwhile":    {"ada@example.com", core.TicketVerifyEmail, func(u *core.User) { u.CredentialVersion++ }},
		"a change, then a new password": {"new@example.com", core.TicketChangeEmail, func(u *core.User) { u.CredentialVersion++ }},
		"a change to an address in use": {"eve@example.com", core.TicketChangeEmail, func(*core.User) {}},
	} {
		t.Run(what, func(t *testing.T) {
			inOffice(t, func(t *testing.T, o *office) {
				ada := o.user("ada@example.com")
				o.user("eve@example.com")
				if err := o.prove(ada, c.to, c.kind); err != nil {
					t.Fatal(err)
				}
				o.change(ada, c.how)
				o.start(o.box)
				synctest.Wait()
				if sent := o.box.Sent(); len(sent) != 0 {
					t.Errorf("got %+v, want no mail", sent)
				}
			})
		})
	}
}

func TestNobodyIsFloodedWithProofsAndNotices(t *testing.T) {
	inOffice(t, func(t *testing.T, o *office) {
		ada := o.user("ada@example.com")
		for n := range MaxDailyProofs + 1 {
			if err := o.prove(ada, "ada@example.com", core.TicketVerifyEmail); core.IsCode(err, core.CodeRateLimited) != (n == MaxDailyProofs) {
				t.Errorf("mail %d: got %v, want only the last to be refused", n+1, err)
			}
		}
		o.waiting()
		notify := func() int {
			for range MaxDailyNotices + 5 {
				err := o.store.InTx(t.Context(), func(ctx context.Context, tables storage.Tables) error {
					return o.queue.Notify(ctx, tables, ada, Notice{Kind: NoticeSignIn})
				})
				if err != nil {
					t.Fatal(err)
				}
			}
			return o.waiting()
		}
		if got := notify(); got != 0 {
			t.Errorf("got %d notices to an address that nobody has proven, want none", got)
		}
		ada.EmailVerified = true
		if got := notify(); got != MaxDailyNotices {
			t.Errorf("got %d notices a day, want %d", got, MaxDailyNotices)
		}
		time.Sleep(24 * time.Hour)
		if got := notify(); got != MaxDailyNotices {
			t.Errorf("the next day: got %d notices, want %d", got, MaxDailyNotices)
		}
	})
}

func TestNoticesSayWhatHappenedAndCarryNoLinksOfOthers(t *testing.T) {
	at := core.At(time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC))
	for kind, want := range map[NoticeKind]string{
		NoticeSignIn: "signed in", NoticePasswordChanged: "password", NoticeTokenCreated: "API token", NoticeProgramConnected: "was allowed to act",
		NoticeEmailChanging: "another email address", NoticeEmailChanged: "no longer belongs",
		NoticeFactorOn: "was turned on", NoticeFactorOff: "was turned off", NoticeFactorReset: "who runs this service turned off",
		NoticeRecoveryCodes: "New recovery codes", NoticeRecoveryCodeUsed: "A recovery code was used",
		NoticeAccountDeleted: "was deleted, with the workspaces", NoticeAccountRemoved: "An administrator deleted",
		NoticeSiteTakenDown: "took down the published site", NoticeSiteLifted: "can be visited again",
	} {
		message, err := noticeMail("id", origin, "", "ada@example.com", Notice{Kind: kind, Device: "evil.example", Address: "192.0.2.1", Name: "https://evil.example", At: at})
		if err != nil || !strings.Contains(message.Text, want) || !strings.Contains(message.Text, "January 2, 2030, 03:04 UTC") || !strings.Contains(message.Text, "192.0.2.1") {
			t.Errorf("%s: got %+v, %v, want what, when and from where", kind, message, err)
		}
		if strings.Contains(message.Text+message.HTML, "evil") {
			t.Errorf("%s: got %+v, want nothing that could be a link", kind, message)
		}
	}
	if _, err := noticeMail("id", origin, "", "ada@example.com", Notice{Kind: "unknown"}); !core.IsCode(err, core.CodeValidationFailed) {
		t.Errorf("an unknown kind: got %v, want %s", err, core.CodeValidationFailed)
	}
}
