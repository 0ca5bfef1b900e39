package smtp

import (
	"context"
	"crypto/x509"
	"net"
	"net/http/httptest"
	netmail "net/mail"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/smtp/smtptest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/mail"
	"github.com/atelierhq/atelier/ports/mail/mailtest"
)

const (
	password  = "p@ss wörd/?"
	recipient = "ada@example.com"
)

// harness is a sender with a real server.
type harness struct {
	sender *Sender
	server *smtptest.Server
}

func (h harness) Sender(*testing.T) mail.Sender { return h.sender }

func (h harness) Break(*testing.T) { h.server.Stop() }

func (h harness) Received(t *testing.T) []mail.Message {
	t.Helper()
	var mails []mail.Message
	for _, taken := range h.server.Mails() {
		message, err := mailtest.ReadMessage(taken.Raw)
		if err != nil {
			t.Fatalf("%v in\n%s", err, taken.Raw)
		}
		if taken.To != message.To || taken.From != "atelier@atelier.example" {
			t.Errorf("got a mail from %s to %s, want the envelope as the headers say", taken.From, taken.To)
		}
		mails = append(mails, message)
	}
	return mails
}

// parse reads an SMTP_URL that is good.
func parse(t *testing.T, text string) Server {
	t.Helper()
	server, ok := ParseServer(text)
	if !ok {
		t.Fatalf("%s was refused", text)
	}
	return server
}

func newSender(server Server) *Sender {
	return New(server, netmail.Address{Name: "Atelier", Address: "atelier@atelier.example"}, time.Now)
}

// remote is a sender to a server that it considers to be on another machine. The test
// authority certifies the server as example.com.
func remote(t *testing.T, url string, server *smtptest.Server) *Sender {
	t.Helper()
	sender := newSender(parse(t, url))
	sender.roots = authority(t)
	sender.dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, server.Address)
	}
	return sender
}

func authority(t *testing.T) *x509.CertPool {
	t.Helper()
	web := httptest.NewTLSServer(nil)
	defer web.Close()
	roots := x509.NewCertPool()
	roots.AddCert(web.Certificate())
	return roots
}

func sample() mail.Message {
	return mail.Message{To: recipient, Subject: "Hello", Text: "Hello\n", HTML: "<p>Hello</p>\n", ID: string(core.NewID())}
}

func TestSender(t *testing.T) {
	for name, newHarness := range map[string]func(*testing.T) mailtest.Harness{
		"in the clear on this machine": func(t *testing.T) mailtest.Harness {
			server := smtptest.Start(t, smtptest.Config{})
			return harness{newSender(parse(t, "smtp://"+server.Address)), server}
		},
		"STARTTLS and a password": func(t *testing.T) mailtest.Harness {
			server := smtptest.Start(t, smtptest.Config{TLS: true, User: "ada", Password: password})
			return harness{remote(t, "smtp://ada:p%40ss%20w%C3%B6rd%2F%3F@example.com:25", server), server}
		},
		"TLS from the first byte": func(t *testing.T) mailtest.Harness {
			server := smtptest.Start(t, smtptest.Config{Implicit: true, User: "ada", Password: password})
			return harness{remote(t, "smtps://ada:p%40ss%20w%C3%B6rd%2F%3F@example.com", server), server}
		},
	} {
		t.Run(name, func(t *testing.T) { mailtest.Run(t, newHarness) })
	}
}

// TestHowTheServerIsReached covers which servers get a password, and over which
// connection.
func TestHowTheServerIsReached(t *testing.T) {
	secret := smtptest.Config{User: "ada", Password: "secret"}
	secretTLS, plainTLS := secret, smtptest.Config{TLS: true}
	secretTLS.TLS = true
	for _, c := range []struct {
		name      string
		config    smtptest.Config
		url       string
		local     bool
		encrypted bool
	}{
		{"STARTTLS where it is offered, without a password too", plainTLS, "smtp://example.com", false, true},
		{"in the clear where it is not offered and there is no password", smtptest.Config{}, "smtp://example.com", false, false},
		{"a password over STARTTLS", secretTLS, "smtp://ada:secret@example.com", false, true},
		{"a password in the clear to this machine", secret, "smtp://ada:secret@127.0.0.1", true, false},
		{"STARTTLS on this machine, with any certificate", secretTLS, "smtp://ada:secret@localhost", true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := smtptest.Start(t, c.config)
			sender := remote(t, c.url, server)
			if c.local {
				sender.roots = x509.NewCertPool()
			}
			if err := sender.Check(t.Context()); err != nil {
				t.Errorf("check: got %v, want nil", err)
			}
			if err := sender.Send(t.Context(), sample()); err != nil {
				t.Fatalf("send: got %v, want it sent", err)
			}
			if got := server.Mails()[0]; got.Encrypted != c.encrypted || got.User != c.config.User {
				t.Errorf("got encrypted %v, user %q, want %v, %q", got.Encrypted, got.User, c.encrypted, c.config.User)
			}
		})
	}
}

// TestAServerThatIsNotTheOneMeantGetsNothing covers certificates.
func TestAServerThatIsNotTheOneMeantGetsNothing(t *testing.T) {
	for name, c := range map[string]struct {
		url    string
		config smtptest.Config
		roots  *x509.CertPool
	}{
		"a certificate for another name":                    {"smtp://ada:secret@mail.example.org", smtptest.Config{TLS: true}, authority(t)},
		"a certificate that nobody vouches for":             {"smtp://ada:secret@example.com", smtptest.Config{TLS: true}, x509.NewCertPool()},
		"the same without a password":                       {"smtp://example.com", smtptest.Config{TLS: true}, x509.NewCertPool()},
		"the same with TLS from the first byte":             {"smtps://ada:secret@example.com", smtptest.Config{Implicit: true}, x509.NewCertPool()},
		"smtps on this machine promises a certificate too":  {"smtps://localhost", smtptest.Config{Implicit: true}, x509.NewCertPool()},
		"smtps to a server that speaks in the clear":        {"smtps://ada:secret@example.com", smtptest.Config{}, authority(t)},
		"a password to a server without STARTTLS":           {"smtp://ada:secret@example.com", smtptest.Config{User: "ada", Password: "secret"}, authority(t)},
		"a password to an address that is not this machine": {"smtp://ada:secret@192.0.2.1", smtptest.Config{User: "ada", Password: "secret"}, authority(t)},
	} {
		t.Run(name, func(t *testing.T) {
			server := smtptest.Start(t, c.config)
			sender := remote(t, c.url, server)
			sender.roots = c.roots
			for what, err := range map[string]error{"check": sender.Check(t.Context()), "send": sender.Send(t.Context(), sample())} {
				if !core.IsCode(err, core.CodeUnavailable) {
					t.Errorf("%s: got %v, want code %s", what, err, core.CodeUnavailable)
				}
			}
			if got := server.Mails(); len(got) > 0 {
				t.Errorf("got %d mails taken, want none", len(got))
			}
		})
	}
}

func TestRefusalsHaveTheirCodes(t *testing.T) {
	refuse := func(err error) smtptest.Config {
		return smtptest.Config{Refuse: func(string) error { return err }}
	}
	for name, c := range map[string]struct {
		config smtptest.Config
		url    string
		want   core.Code
	}{
		"no such person":              {refuse(smtptest.Refusal(550, "<ADA@example.com>: no such user")), "smtp://localhost", core.CodeValidationFailed},
		"a recipient that was moved":  {refuse(smtptest.Refusal(551, "moved")), "smtp://localhost", core.CodeValidationFailed},
		"content that is unwanted":    {smtptest.Config{RefuseContent: smtptest.Refusal(554, "spam to ada@example.com")}, "smtp://localhost", core.CodeValidationFailed},
		"a full mailbox":              {refuse(smtptest.Refusal(452, "full")), "smtp://localhost", core.CodeUnavailable},
		"grey listing":                {refuse(smtptest.Refusal(451, "try again")), "smtp://localhost", core.CodeUnavailable},
		"a server that shuts down":    {refuse(smtptest.Refusal(421, "bye")), "smtp://localhost", core.CodeUnavailable},
		"a failure after the content": {smtptest.Config{RefuseContent: smtptest.Refusal(451, "disk")}, "smtp://localhost", core.CodeUnavailable},
		"a missing password":          {smtptest.Config{User: "ada", Password: "secret"}, "smtp://localhost", core.CodeUnavailable},
		"a wrong password":            {smtptest.Config{User: "ada", Password: "secret"}, "smtp://ada:wrong-one@localhost", core.CodeUnavailable},
		"a recipient for members":     {refuse(smtptest.Refusal(530, "sign in")), "smtp://localhost", core.CodeUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			server := smtptest.Start(t, c.config)
			err := remote(t, c.url, server).Send(t.Context(), sample())
			if !core.IsCode(err, c.want) {
				t.Fatalf("got %v, want code %s", err, c.want)
			}
			if text := strings.ToLower(err.Error()); strings.Contains(text, recipient) || strings.Contains(text, "wrong-one") {
				t.Errorf("got %v, want neither address nor password", err)
			}
			if got := server.Mails(); len(got) > 0 {
				t.Errorf("got %d mails taken, want none", len(got))
			}
		})
	}
}

func TestAServerForASCIIGetsNoOtherAddress(t *testing.T) {
	server := smtptest.Start(t, smtptest.Config{ASCII: true})
	sender, message := remote(t, "smtp://localhost", server), sample()
	message.To = "jürgen@example.com"
	if err := sender.Send(t.Context(), message); !core.IsCode(err, core.CodeValidationFailed) {
		t.Errorf("got %v, want code %s", err, core.CodeValidationFailed)
	}
	if err := sender.Send(t.Context(), sample()); err != nil || len(server.Mails()) != 1 {
		t.Errorf("got %v, want an address in ASCII to be taken", err)
	}
}
