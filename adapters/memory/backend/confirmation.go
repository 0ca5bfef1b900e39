package backend

import (
	"strings"

	"github.com/atelierhq/atelier/adapters/memory/backend/records"
	port "github.com/atelierhq/atelier/ports/backend"
)

// confirmation is an auth collection whose users confirm by mail that an address is theirs.
type confirmation struct {
	*request
	c *records.Collection
}

// answer carries out an action such as request-verification.
func (s confirmation) answer(action string) error {
	switch action {
	case "request-verification":
		return s.requested(func(who records.Row) error {
			if who.Values["verified"] == true {
				return nil
			}
			return s.sendLink(who, "verification", tokenVerification, "Verify your "+port.NamePlaceholder+" email", "Confirm that this is your address")
		})
	case "request-password-reset":
		return s.requested(func(who records.Row) error {
			return s.sendLink(who, "password", tokenPasswordReset, "Reset your "+port.NamePlaceholder+" password", "Set a new password here")
		})
	case "request-email-change":
		return s.requestEmailChange()
	case "confirm-verification":
		return s.confirmed(tokenVerification, func(who records.Row, _ claims) error {
			who.Values["verified"] = true
			return nil
		})
	case "confirm-password-reset":
		return s.confirmed(tokenPasswordReset, s.resetPassword)
	case "confirm-email-change":
		return s.confirmed(tokenEmailChange, s.changeEmail)
	}
	return errMissing()
}

// requested sends the user with the address of the body a mail. Whether the address is known stays
// secret.
func (s confirmation) requested(send func(who records.Row) error) error {
	email := s.text("email")
	if email == "" {
		return flawed(map[string]*records.Flaw{"email": records.FlawRequired})
	}
	if who, ok := byEmail(s.state, s.c, email); ok {
		return send(who)
	}
	return nil
}

// sendLink mails a user a link with a token for the present address.
func (s confirmation) sendLink(who records.Row, page, kind, subject, purpose string) error {
	email := who.Text("email")
	token := sign(s.state, who, claims{Type: kind, Email: email}, mailedTokenTime)
	return s.set.mail(email, subject, purpose, link(page, token))
}

// link is the address in a mail at which a token is confirmed. The service answers there.
func link(page, token string) string {
	return port.AddressPlaceholder + "/_data/@confirm/" + page + "#" + token
}

// confirmed changes the user that the token of the body is for.
func (s confirmation) confirmed(kind string, change func(who records.Row, says claims) error) error {
	return s.commit(func(tx *records.Transaction) error {
		says, who, ok := verify(tx.State, s.text("token"), kind)
		if !ok || who.Collection.ID != s.c.ID || !strings.EqualFold(who.Text("email"), says.Email) {
			return flawed(map[string]*records.Flaw{"token": {Code: "validation_invalid_token", Message: "Invalid or expired token."}})
		}
		who = who.Clone()
		if err := change(who, says); err != nil {
			return err
		}
		return tx.Put(who, records.Update)
	})
}

// resetPassword sets the password of the body.
func (s confirmation) resetPassword(who records.Row, _ claims) error {
	password := s.text("password")
	if !fitsPassword(password) || s.text("passwordConfirm") != password {
		return flawed(map[string]*records.Flaw{"password": records.FlawInvalid})
	}
	who.Values["password"], who.Values["tokenKey"] = hashPassword(password), records.NewSecret()
	who.Values["verified"] = true
	return nil
}

// requestEmailChange mails a link to the new address of the user who asks.
func (s confirmation) requestEmailChange() error {
	if !s.Auth.Exists() || s.Auth.Collection.ID != s.c.ID {
		return errNoUser()
	}
	email := s.text("newEmail")
	_, taken := byEmail(s.state, s.c, email)
	if email == "" || taken || s.c.ByName("email").Check(s.state, email) != nil {
		return flawed(map[string]*records.Flaw{"newEmail": records.FlawInvalid})
	}
	token := sign(s.state, s.Auth, claims{Type: tokenEmailChange, Email: s.Auth.Text("email"), NewEmail: email}, mailedTokenTime)
	return s.set.mail(email, "Confirm your "+port.NamePlaceholder+" new email address", "Confirm that this is your new address", link("email", token))
}

// changeEmail sets the address of the token, given the password.
func (s confirmation) changeEmail(who records.Row, says claims) error {
	if !samePassword(who.Text("password"), s.text("password")) {
		return flawed(map[string]*records.Flaw{"password": {Code: "validation_invalid_password", Message: "Missing or invalid auth record password."}})
	}
	who.Values["email"], who.Values["verified"] = says.NewEmail, true
	who.Values["tokenKey"] = records.NewSecret()
	return nil
}
