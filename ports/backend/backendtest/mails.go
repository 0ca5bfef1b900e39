package backendtest

import (
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/conformance"
)

// wait returns the first mail to an address in which a pattern is, and the pattern's group.
// Mails may come after the answer.
func (m *mailbox) wait(t *testing.T, to string, pattern *regexp.Regexp) (backend.Mail, string) {
	t.Helper()
	for until := time.Now().Add(conformance.Patience); time.Now().Before(until); time.Sleep(time.Millisecond) {
		m.mu.Lock()
		mails := slices.Clone(m.mails)
		m.mu.Unlock()
		for _, mail := range mails {
			if parts := pattern.FindStringSubmatch(mail.HTML); mail.To == to && parts != nil {
				return mail, html.UnescapeString(parts[1])
			}
		}
	}
	t.Fatalf("no mail to %s has %s", to, pattern)
	return backend.Mail{}, ""
}

// confirmation waits for a mail with a link of the application, and returns its token.
func (s *suite) confirmation(t *testing.T, to, what string) string {
	t.Helper()
	link := backend.AddressPlaceholder + "/_data/@confirm/" + what + "#"
	mail, token := s.mails.wait(t, to, regexp.MustCompile(regexp.QuoteMeta(link)+`([\w.-]+)`))
	if strings.Contains(mail.HTML, "/_/") || !strings.Contains(mail.Subject, backend.NamePlaceholder) || !strings.Contains(mail.Text, link+token) {
		t.Errorf("the mail is %+v", mail)
	}
	return token
}

func mailsConfirm(t *testing.T, s *suite) {
	s.apply(t, guestbook())
	anna, id := s.signUp(t, "anna@example.com")
	guest, users := s.guest(), "collections/users/"
	guest.must(t, http.StatusNoContent, "POST", users+"request-verification", map[string]any{"email": "nobody@example.com"})
	guest.must(t, http.StatusNoContent, "POST", users+"request-verification", map[string]any{"email": "anna@example.com"})
	token := s.confirmation(t, "anna@example.com", "verification")
	guest.must(t, http.StatusBadRequest, "POST", users+"confirm-verification", map[string]any{"token": token + "x"})
	guest.must(t, http.StatusBadRequest, "POST", users+"confirm-password-reset", map[string]any{"token": token, "password": "stolen password", "passwordConfirm": "stolen password"})
	guest.must(t, http.StatusNoContent, "POST", users+"confirm-verification", map[string]any{"token": token})
	if got := s.owner().must(t, http.StatusOK, "GET", users+"records/"+id, nil); got.body["verified"] != true {
		t.Errorf("after the confirmation the user is %v", got.body)
	}

	anna.must(t, http.StatusNoContent, "POST", users+"request-email-change", map[string]any{"newEmail": "anne@example.com"})
	token = s.confirmation(t, "anne@example.com", "email")
	guest.must(t, http.StatusBadRequest, "POST", users+"confirm-email-change", map[string]any{"token": token, "password": "not the one"})
	guest.must(t, http.StatusNoContent, "POST", users+"confirm-email-change", map[string]any{"token": token, "password": password})
	if got := s.owner().must(t, http.StatusOK, "GET", users+"records/"+id, nil); got.body["email"] != "anne@example.com" {
		t.Errorf("after the confirmation the user is %v", got.body)
	}

	guest.must(t, http.StatusNoContent, "POST", users+"request-password-reset", map[string]any{"email": "anne@example.com"})
	token = s.confirmation(t, "anne@example.com", "password")
	reset := map[string]any{"token": token, "password": "another password", "passwordConfirm": "another password"}
	guest.must(t, http.StatusNoContent, "POST", users+"confirm-password-reset", reset)
	guest.must(t, http.StatusBadRequest, "POST", users+"confirm-password-reset", reset)
	guest.must(t, http.StatusBadRequest, "POST", users+"auth-with-password", map[string]any{"identity": "anne@example.com", "password": password})
	guest.must(t, http.StatusOK, "POST", users+"auth-with-password", map[string]any{"identity": "anne@example.com", "password": "another password"})
	if got := anna.do(t, "POST", users+"auth-refresh", nil); got.status == http.StatusOK {
		t.Error("a session outlived the change of the password")
	}
}

func oneTimePasswords(t *testing.T, s *suite) {
	schema := guestbook()
	schema.Collections[0].Options = options{"otp": raw(map[string]any{"enabled": true, "duration": 180, "length": 8})}
	s.apply(t, schema)
	_, id := s.signUp(t, "anna@example.com")
	guest, users := s.guest(), "collections/users/"
	if got := guest.must(t, http.StatusOK, "POST", users+"request-otp", map[string]any{"email": "nobody@example.com"}); got.text("otpId") == "" {
		t.Errorf("the answer tells that an address is unknown: %v", got.body)
	}
	got := guest.must(t, http.StatusOK, "POST", users+"request-otp", map[string]any{"email": "anna@example.com"})
	mail, code := s.mails.wait(t, "anna@example.com", regexp.MustCompile(`\b(\d{8})\b`))
	if strings.Contains(mail.HTML, "/_/") || !strings.Contains(mail.Text, code) {
		t.Errorf("the mail is %+v", mail)
	}
	wrong := map[string]any{"otpId": got.text("otpId"), "password": "00000000x"}
	guest.must(t, http.StatusBadRequest, "POST", users+"auth-with-otp", wrong)
	right := map[string]any{"otpId": got.text("otpId"), "password": code}
	in := guest.must(t, http.StatusOK, "POST", users+"auth-with-otp", right)
	if record, _ := in.body["record"].(map[string]any); record["id"] != id || in.text("token") == "" {
		t.Errorf("the sign-in answered %v", in.body)
	}
	guest.must(t, http.StatusBadRequest, "POST", users+"auth-with-otp", right)
	s.apply(t, guestbook())
	guest.must(t, http.StatusForbidden, "POST", users+"request-otp", map[string]any{"email": "anna@example.com"})
}
