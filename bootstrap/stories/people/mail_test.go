package people_test

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/bunstore"
	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/adapters/smtp/smtptest"
	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/mail"
	"github.com/atelierhq/atelier/ports/mail/mailtest"
)

// mails returns what was sent to an address apart from mails about the account, as soon as
// there are n.
func mails(s *storytest.Site, to string, n int) []mail.Message {
	s.T.Helper()
	return mailsOf(s, to, n, func(subject string) bool { return !storytest.IsAboutAccount(subject) })
}

// mailsOf returns the mails to an address with certain subjects, as soon as there are n.
func mailsOf(s *storytest.Site, to string, n int, wanted func(subject string) bool) []mail.Message {
	s.T.Helper()
	box, isMemory := s.App.Mail.(*memory.Mailbox)
	if !isMemory {
		return outboxMailsOf(s.T, s.App.Settings.Mail.OutboxDir, to, n, wanted)
	}
	ctx := conformance.Bounded(s.T)
	for all := n; ; {
		sent, err := box.Await(ctx, to, all)
		if err != nil {
			s.T.Fatalf("got %d mails to %s, want %d of the kind", len(sent), to, n)
		}
		all = len(sent) + 1
		if kept := slices.DeleteFunc(sent, func(m mail.Message) bool { return !wanted(m.Subject) }); len(kept) >= n {
			return kept
		}
	}
}

// outboxMails reads mails to an address from their files, apart from those about the account.
func outboxMails(t testing.TB, dir, to string, n int) []mail.Message {
	t.Helper()
	return outboxMailsOf(t, dir, to, n, func(subject string) bool { return !storytest.IsAboutAccount(subject) })
}

func outboxMailsOf(t testing.TB, dir, to string, n int, wanted func(subject string) bool) []mail.Message {
	t.Helper()
	var mails []mail.Message
	if !conformance.Becomes(func() bool {
		mails = nil
		names, _ := filepath.Glob(filepath.Join(dir, "*.eml"))
		for _, name := range names {
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if message := readMail(t, content); message.To == to && wanted(message.Subject) {
				mails = append(mails, message)
			}
		}
		return len(mails) >= n
	}) {
		t.Fatalf("got %d mails to %s in %s, want %d", len(mails), to, dir, n)
	}
	return mails
}

func readMail(t testing.TB, content []byte) mail.Message {
	t.Helper()
	message, err := mailtest.ReadMessage(content)
	if err != nil {
		t.Fatalf("%v in\n%s", err, content)
	}
	return message
}

// resetToken cuts the token out of the link in a mail.
func resetToken(s *storytest.Site, message mail.Message) string {
	s.T.Helper()
	link := s.URL + "/reset-password?token="
	_, rest, found := strings.Cut(message.Text, link)
	token, _, _ := strings.Cut(rest, "\n")
	if !found || len(token) != 43 || !strings.Contains(message.HTML, `href="`+link+token+`"`) {
		s.T.Fatalf("got %+v, want a link that begins with %s", message, link)
	}
	return token
}

// signInAs opens a session and returns its refresh token.
func signInAs(s *storytest.Site, email, password string) string {
	s.T.Helper()
	var session struct{ RefreshToken string }
	(&storytest.Caller{Site: s}).Must(http.StatusOK, http.MethodPost, "/auth/login", map[string]string{"email": email, "password": password}, &session)
	return session.RefreshToken
}

func forgot(s *storytest.Site, email string) {
	s.T.Helper()
	(&storytest.Caller{Site: s}).Must(http.StatusAccepted, http.MethodPost, "/auth/forgot-password", map[string]string{"email": email}, nil)
}

func resetTo(s *storytest.Site, token, password string) storytest.Answer {
	s.T.Helper()
	return (&storytest.Caller{Site: s}).Do(http.MethodPost, "/auth/reset-password", map[string]string{"token": token, "password": password})
}

// resetByMail plays the story from the link on.
func resetByMail(s *storytest.Site, c *storytest.Caller, session string, message mail.Message) {
	s.T.Helper()
	token := resetToken(s, message)
	if got := resetTo(s, token, "short"); got.Code() != core.CodeValidationFailed {
		s.T.Errorf("a short password: got %d %s, want %s", got.Status, got.Body, core.CodeValidationFailed)
	}
	if got := resetTo(s, token, "another password"); got.Status != http.StatusNoContent {
		s.T.Fatalf("reset: got %d %s, want 204", got.Status, got.Body)
	}
	if got := resetTo(s, token, "a third password"); got.Status != http.StatusBadRequest || got.Code() != core.CodeInvalidToken {
		s.T.Errorf("the link again: got %d %s, want 400 %s", got.Status, got.Body, core.CodeInvalidToken)
	}
	outside := &storytest.Caller{Site: s}
	if got := outside.Do(http.MethodPost, "/auth/refresh", map[string]string{"refreshToken": session}); got.Status != http.StatusUnauthorized {
		s.T.Errorf("a session from before: got %d %s, want 401", got.Status, got.Body)
	}
	if got := outside.Do(http.MethodPost, "/auth/login", map[string]string{"email": c.User.Email, "password": "long enough"}); got.Code() != core.CodeInvalidCredentials {
		s.T.Errorf("the old password: got %d %s, want %s", got.Status, got.Body, core.CodeInvalidCredentials)
	}
	fresh := signInAs(s, c.User.Email, "another password")
	outside.Must(http.StatusOK, http.MethodPost, "/auth/refresh", map[string]string{"refreshToken": fresh}, nil)
	if got := c.Do(http.MethodGet, "/auth/me", nil); got.Status != http.StatusUnauthorized {
		s.T.Errorf("an access token from before: got %d %s, want 401", got.Status, got.Body)
	}
	c.Token = signInFor(s, c.User.Email, "another password")
	var me struct{ User core.User }
	c.Must(http.StatusOK, http.MethodGet, "/auth/me", nil, &me)
	if !me.User.EmailVerified {
		s.T.Error("got an address that is not verified, want it to be")
	}
}

func TestAForgottenPasswordIsResetByMail(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			c := s.SignUp()
			session := signInAs(s, c.User.Email, "long enough")
			forgot(s, "nobody@example.com")
			forgot(s, strings.ToUpper(c.User.Email))
			resetByMail(s, c, session, mails(s, c.User.Email, 1)[0])
			if got := mails(s, "nobody@example.com", 0); len(got) != 0 {
				t.Errorf("got %d mails to somebody without an account, want none", len(got))
			}
			var me struct{ Features struct{ Mail bool } }
			if c.Must(http.StatusOK, http.MethodGet, "/auth/me", nil, &me); me.Features.Mail {
				t.Error("got the feature mail without a mail server")
			}
		})
	}
}

// TestMailsAreInTheLanguageOfThePerson signs up with a browser in German, and is written to
// in German: after asking in English, and when somebody invites who reads English.
func TestMailsAreInTheLanguageOfThePerson(t *testing.T) {
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			s := program.Serve(t)
			open := &storytest.Caller{Site: s}
			const email, german, spanish = "gerda@example.com", "Neues Passwort für Atelier", "Restablece tu contraseña de Atelier"
			account := map[string]string{"email": email, "password": "long enough"}
			if got := open.Do(http.MethodPost, "/auth/signup", account, "Accept-Language", "de-AT,en;q=0.5"); got.Status != http.StatusCreated {
				t.Fatalf("got %d %s", got.Status, got.Body)
			}
			reset := func(n int, want string) {
				t.Helper()
				body := map[string]string{"email": email}
				if got := open.Do(http.MethodPost, "/auth/forgot-password", body, "Accept-Language", "en"); got.Status != http.StatusAccepted {
					t.Fatalf("got %d %s", got.Status, got.Body)
				}
				subjects := ""
				for _, message := range mails(s, email, n) {
					subjects += message.Subject + "\n"
				}
				if strings.Count(subjects, want) != 1 {
					t.Errorf("got %q, want one %q", subjects, want)
				}
			}
			reset(1, german)
			host := s.SignUp()
			host.Must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(host.Workspace)+"/invites", storytest.Fields{"email": email, "role": "member"}, nil)
			if got := mails(s, email, 2); !strings.Contains(got[0].Subject+got[1].Subject, "Einladung") {
				t.Errorf("got %q and %q, want an invitation in German", got[0].Subject, got[1].Subject)
			}
			gerda := &storytest.Caller{Site: s}
			gerda.Token = signInFor(s, email, "long enough")
			gerda.Must(http.StatusOK, http.MethodPatch, "/auth/me", storytest.Fields{"language": "es"}, nil)
			reset(3, spanish)
			gerda.Refused(http.StatusBadRequest, core.CodeValidationFailed, http.MethodPatch, "/auth/me", storytest.Fields{"language": "tlh"})
		})
	}
}

func TestAMailGoesThroughTheMailServer(t *testing.T) {
	server := smtptest.Start(t, smtptest.Config{TLS: true, User: "ada", Password: "secret"})
	s := storytest.Serve(t, t.TempDir(), local.New, map[string]string{
		"SMTP_URL": "smtp://ada:secret@" + server.Address, "MAIL_FROM": "Die Werkstatt <post@example.com>",
	})
	c := s.SignUp()
	session := signInAs(s, c.User.Email, "long enough")
	forgot(s, c.User.Email)
	taken := resetTaken(t, server)
	if taken.From != "post@example.com" || taken.To != c.User.Email || !strings.Contains(string(taken.Raw), `"Die Werkstatt" <post@example.com>`) {
		t.Errorf("got a mail from %s to %s:\n%s", taken.From, taken.To, taken.Raw)
	}
	resetByMail(s, c, session, readMail(t, taken.Raw))
	var me struct{ Features struct{ Mail bool } }
	if c.Must(http.StatusOK, http.MethodGet, "/auth/me", nil, &me); !me.Features.Mail {
		t.Error("got no feature mail with a mail server")
	}
	if _, err := os.Stat(s.App.Settings.Mail.OutboxDir); !os.IsNotExist(err) {
		t.Errorf("got %v, want no outbox beside a mail server", err)
	}
}

// resetTaken waits for the mail about a new password, which comes beside the one of the
// sign-up.
func resetTaken(t *testing.T, server *smtptest.Server) smtptest.Mail {
	t.Helper()
	for n := 1; ; n++ {
		for _, taken := range server.Await(t, n, conformance.Patience) {
			if !storytest.IsAboutAccount(readMail(t, taken.Raw).Subject) {
				return taken
			}
		}
	}
}

func TestTheProgramLeavesMailsInItsOutbox(t *testing.T) {
	service := process.Start(t, process.Build(t), "LOG_LEVEL=info")
	s := &storytest.Site{T: t, URL: service.URL, Client: storytest.LocalClient()}
	c := s.SignUp()
	session := signInAs(s, c.User.Email, "long enough")
	forgot(s, c.User.Email)
	message := outboxMails(t, filepath.Join(service.Dir, "outbox"), c.User.Email, 1)[0]
	token := resetToken(s, message)
	resetByMail(s, c, session, message)
	service.Stop()
	log := service.Log()
	if !strings.Contains(log, filepath.Join(service.Dir, "outbox")) {
		t.Errorf("got %s, want the file in the log", log)
	}
	for _, secret := range []string{token, core.HashSecret(token), c.User.Email, "another password"} {
		if strings.Contains(log, secret) {
			t.Errorf("got %q in the log", secret)
		}
	}
}

// stalled is a mail server that takes connections and says nothing, which tells
// when somebody has come.
func stalled(t *testing.T, address string) (listener net.Listener, visited <-chan struct{}) {
	t.Helper()
	listener, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	came := make(chan struct{}, 1)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { conn.Close() })
			select {
			case came <- struct{}{}:
			default:
			}
		}
	}()
	return listener, came
}

// makeDue lets the time pass that a mail waits for after a crash.
func makeDue(t *testing.T, dir string) {
	t.Helper()
	store, err := bunstore.Open(t.Context(), "sqlite://"+filepath.Join(dir, "atelier.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	now := core.At(time.Now())
	far := now.Add(24 * time.Hour)
	for n := range 2 { // the mail of the sign-up, and the one about the password
		job, err := store.Tables().Mails.Claim(t.Context(), far, far.Add(time.Hour))
		if err != nil {
			t.Fatalf("mail %d: got %v, want it in the queue", n+1, err)
		}
		if strings.Contains(string(job.Sealed), "example.com") {
			t.Errorf("got %q, want it sealed", job.Sealed)
		}
		defer func() {
			if err := store.Tables().Mails.Postpone(t.Context(), job.ID, now); err != nil {
				t.Error(err)
			}
		}()
	}
}

// TestKillBetweenARequestForAMailAndItsSendingLosesNoMail kills the process where
// no mail has left yet: while it is being sent, and before anybody could take it.
func TestKillBetweenARequestForAMailAndItsSendingLosesNoMail(t *testing.T) {
	t.Parallel()
	binary := process.Build(t)
	for name, silent := range map[string]bool{"while it is being sent": true, "before anybody could take it": false} {
		t.Run(name, func(t *testing.T) {
			listener, visited := stalled(t, "127.0.0.1:0")
			address := listener.Addr().String()
			if !silent {
				listener.Close()
			}
			service := process.Start(t, binary, "SMTP_URL=smtp://"+address, "MAIL_FROM=post@example.com")
			s := &storytest.Site{T: t, URL: service.URL, Client: storytest.LocalClient()}
			c := s.SignUp()
			session := signInAs(s, c.User.Email, "long enough")
			forgot(s, c.User.Email)
			if silent {
				<-visited
			}
			service.Kill()
			s.Client.CloseIdleConnections()
			listener.Close()
			makeDue(t, service.Dir)
			server := smtptest.Start(t, smtptest.Config{Address: address})
			service.Restart()
			resetByMail(s, c, session, readMail(t, resetTaken(t, server).Raw))
			service.Stop()
			got := slices.DeleteFunc(server.Mails(), func(m smtptest.Mail) bool { return storytest.IsAboutAccount(readMail(t, m.Raw).Subject) })
			if len(got) != 1 {
				t.Errorf("got %d mails about the password, want one", len(got))
			}
		})
	}
}
