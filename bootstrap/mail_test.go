package bootstrap_test

import (
	"context"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/bunstore"
	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/adapters/smtp/smtptest"
	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/process"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/mail"
	"github.com/atelierhq/atelier/ports/porttest"
)

// mailTime is how long a mail may take to arrive.
const mailTime = 20 * time.Second

// mails returns what was sent to an address, as soon as there are n mails.
func (s *site) mails(to string, n int) []mail.Message {
	s.t.Helper()
	if box, isMemory := s.app.Mail.(*memory.Mailbox); isMemory {
		ctx, cancel := context.WithTimeout(s.t.Context(), mailTime)
		defer cancel()
		mails, err := box.Await(ctx, to, n)
		if err != nil {
			s.t.Fatalf("got %d mails to %s, want %d", len(mails), to, n)
		}
		return mails
	}
	return outboxMails(s.t, s.app.Settings.Mail.OutboxDir, to, n)
}

// outboxMails reads mails to an address from their files.
func outboxMails(t testing.TB, dir, to string, n int) []mail.Message {
	t.Helper()
	for deadline := time.Now().Add(mailTime); ; time.Sleep(5 * time.Millisecond) {
		var mails []mail.Message
		names, _ := filepath.Glob(filepath.Join(dir, "*.eml"))
		for _, name := range names {
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if message := readMail(t, content); message.To == to {
				mails = append(mails, message)
			}
		}
		if len(mails) >= n {
			return mails
		}
		if time.Now().After(deadline) {
			t.Fatalf("got %d mails to %s in %s, want %d", len(mails), to, dir, n)
		}
	}
}

func readMail(t testing.TB, content []byte) mail.Message {
	t.Helper()
	message, err := porttest.ReadMail(content)
	if err != nil {
		t.Fatalf("%v in\n%s", err, content)
	}
	return message
}

// resetToken cuts the token out of the link in a mail.
func (s *site) resetToken(message mail.Message) string {
	s.t.Helper()
	link := s.url + "/reset-password?token="
	_, rest, found := strings.Cut(message.Text, link)
	token, _, _ := strings.Cut(rest, "\n")
	if !found || len(token) != 43 || !strings.Contains(message.HTML, `href="`+link+token+`"`) {
		s.t.Fatalf("got %+v, want a link that begins with %s", message, link)
	}
	return token
}

// signIn opens a session and returns its refresh token.
func (s *site) signIn(email, password string) string {
	s.t.Helper()
	var session struct{ RefreshToken string }
	(&caller{site: s}).must(http.StatusOK, http.MethodPost, "/auth/login", map[string]string{"email": email, "password": password}, &session)
	return session.RefreshToken
}

func (s *site) forgot(email string) {
	s.t.Helper()
	(&caller{site: s}).must(http.StatusAccepted, http.MethodPost, "/auth/forgot-password", map[string]string{"email": email}, nil)
}

func (s *site) resetTo(token, password string) answer {
	s.t.Helper()
	return (&caller{site: s}).do(http.MethodPost, "/auth/reset-password", map[string]string{"token": token, "password": password})
}

// resetByMail plays the story from the link on.
func (s *site) resetByMail(c *caller, session string, message mail.Message) {
	s.t.Helper()
	token := s.resetToken(message)
	if got := s.resetTo(token, "short"); got.code() != core.CodeValidationFailed {
		s.t.Errorf("a short password: got %d %s, want %s", got.status, got.body, core.CodeValidationFailed)
	}
	if got := s.resetTo(token, "another password"); got.status != http.StatusNoContent {
		s.t.Fatalf("reset: got %d %s, want 204", got.status, got.body)
	}
	if got := s.resetTo(token, "a third password"); got.status != http.StatusBadRequest || got.code() != core.CodeInvalidToken {
		s.t.Errorf("the link again: got %d %s, want 400 %s", got.status, got.body, core.CodeInvalidToken)
	}
	outside := &caller{site: s}
	if got := outside.do(http.MethodPost, "/auth/refresh", map[string]string{"refreshToken": session}); got.status != http.StatusUnauthorized {
		s.t.Errorf("a session from before: got %d %s, want 401", got.status, got.body)
	}
	if got := outside.do(http.MethodPost, "/auth/login", map[string]string{"email": c.user.Email, "password": "long enough"}); got.code() != core.CodeInvalidCredentials {
		s.t.Errorf("the old password: got %d %s, want %s", got.status, got.body, core.CodeInvalidCredentials)
	}
	fresh := s.signIn(c.user.Email, "another password")
	outside.must(http.StatusOK, http.MethodPost, "/auth/refresh", map[string]string{"refreshToken": fresh}, nil)
	if got := c.do(http.MethodGet, "/auth/me", nil); got.status != http.StatusUnauthorized {
		s.t.Errorf("an access token from before: got %d %s, want 401", got.status, got.body)
	}
	c.token = s.signInFor(c.user.Email, "another password")
	var me struct{ User core.User }
	c.must(http.StatusOK, http.MethodGet, "/auth/me", nil, &me)
	if !me.User.EmailVerified {
		s.t.Error("got an address that is not verified, want it to be")
	}
}

func TestAForgottenPasswordIsResetByMail(t *testing.T) {
	for name, program := range programs() {
		t.Run(name, func(t *testing.T) {
			s := program.serve(t)
			c := s.signUp()
			session := s.signIn(c.user.Email, "long enough")
			s.forgot("nobody@example.com")
			s.forgot(strings.ToUpper(c.user.Email))
			s.resetByMail(c, session, s.mails(c.user.Email, 1)[0])
			if got := s.mails("nobody@example.com", 0); len(got) != 0 {
				t.Errorf("got %d mails to somebody without an account, want none", len(got))
			}
			var me struct{ Features struct{ Mail bool } }
			if c.must(http.StatusOK, http.MethodGet, "/auth/me", nil, &me); me.Features.Mail {
				t.Error("got the feature mail without a mail server")
			}
		})
	}
}

func TestAMailGoesThroughTheMailServer(t *testing.T) {
	server := smtptest.Start(t, smtptest.Config{TLS: true, User: "ada", Password: "secret"})
	s := serve(t, t.TempDir(), local.New, map[string]string{
		"SMTP_URL": "smtp://ada:secret@" + server.Address, "MAIL_FROM": "Die Werkstatt <post@example.com>",
	})
	c := s.signUp()
	session := s.signIn(c.user.Email, "long enough")
	s.forgot(c.user.Email)
	taken := server.Await(t, 1, mailTime)[0]
	if taken.From != "post@example.com" || taken.To != c.user.Email || !strings.Contains(string(taken.Raw), `"Die Werkstatt" <post@example.com>`) {
		t.Errorf("got a mail from %s to %s:\n%s", taken.From, taken.To, taken.Raw)
	}
	s.resetByMail(c, session, readMail(t, taken.Raw))
	var me struct{ Features struct{ Mail bool } }
	if c.must(http.StatusOK, http.MethodGet, "/auth/me", nil, &me); !me.Features.Mail {
		t.Error("got no feature mail with a mail server")
	}
	if _, err := os.Stat(s.app.Settings.Mail.OutboxDir); !os.IsNotExist(err) {
		t.Errorf("got %v, want no outbox beside a mail server", err)
	}
}

func TestTheProgramLeavesMailsInItsOutbox(t *testing.T) {
	service := process.Start(t, process.Build(t), "LOG_LEVEL=info")
	s := &site{t: t, url: service.URL, http: localClient()}
	c := s.signUp()
	session := s.signIn(c.user.Email, "long enough")
	s.forgot(c.user.Email)
	message := outboxMails(t, filepath.Join(service.Dir, "outbox"), c.user.Email, 1)[0]
	token := s.resetToken(message)
	s.resetByMail(c, session, message)
	service.Stop()
	log := service.Log()
	if !strings.Contains(log, filepath.Join(service.Dir, "outbox")) {
		t.Errorf("got %s, want the file in the log", log)
	}
	for _, secret := range []string{token, core.HashSecret(token), c.user.Email, "another password"} {
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
	job, err := store.Tables().Mails.Claim(t.Context(), now.Add(24*time.Hour), now)
	if err != nil {
		t.Fatalf("got %v, want the mail in the queue", err)
	}
	if strings.Contains(string(job.Sealed), "example.com") {
		t.Errorf("got %q, want it sealed", job.Sealed)
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
			s := &site{t: t, url: service.URL, http: localClient()}
			c := s.signUp()
			session := s.signIn(c.user.Email, "long enough")
			s.forgot(c.user.Email)
			if silent {
				<-visited
			}
			service.Kill()
			s.http.CloseIdleConnections()
			listener.Close()
			makeDue(t, service.Dir)
			server := smtptest.Start(t, smtptest.Config{Address: address})
			service.Restart()
			taken := server.Await(t, 1, mailTime)
			s.resetByMail(c, session, readMail(t, taken[0].Raw))
			service.Stop()
			if got := server.Mails(); len(got) != 1 {
				t.Errorf("got %d mails, want one", len(got))
			}
		})
	}
}
