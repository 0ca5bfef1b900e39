package backend

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"fmt"
	"math/big"
	"net/http"
	"strings"
	"time"

	port "github.com/atelierhq/atelier/ports/backend"
)

// otp is a one-time password that was mailed.
type otp struct {
	collection, record, password, sentTo string
	until                                time.Time
	tries                                int
}

// maxTries bounds the guesses of a one-time password.
const maxTries = 5

// link is the address in a mail at which a token is confirmed. The service answers there.
func link(what, token string) string {
	return port.AddressPlaceholder + "/_data/@confirm/" + what + "#" + token
}

// mail sends a mail with a link, or a code.
func (r *request) mail(to, subject, wish, what string) error {
	text := fmt.Sprintf("Hello,\n\n%s:\n\n%s\n\nIf you did not ask for this, ignore the mail.\n", wish, what)
	shown := what
	if strings.HasPrefix(what, port.AddressPlaceholder) {
		shown = `<a href="` + what + `">` + subject + `</a>`
	}
	html := fmt.Sprintf("<p>Hello,</p><p>%s: %s</p><p>If you did not ask for this, ignore the mail.</p>", wish, shown)
	return r.set.send(context.Background(), port.Mail{To: to, Subject: subject, Text: text, HTML: html})
}

// confirm answers what is asked for and confirmed by mail. Whether an address is known stays
// secret.
func (r *request) confirm(c *collection, action string) error {
	switch action {
	case "request-verification", "request-password-reset":
		email := r.text("email")
		if email == "" {
			return flawed("An error occurred while validating the submitted data.", map[string]*flaw{"email": flawRequired})
		}
		who, ok := r.state.byEmail(c, email)
		if !ok {
			return nil
		}
		if action == "request-password-reset" {
			token := r.state.sign(who, claims{Type: tokenPasswordReset, Email: who.text("email")}, mailedTokenTime)
			return r.mail(who.text("email"), "Reset your password", "Set a new password here", link("password", token))
		}
		if who.values["verified"] == true {
			return nil
		}
		token := r.state.sign(who, claims{Type: tokenVerification, Email: who.text("email")}, mailedTokenTime)
		return r.mail(who.text("email"), "Verify your email", "Confirm that this is your address", link("verification", token))
	case "request-email-change":
		return r.requestEmailChange(c)
	case "confirm-verification":
		return r.confirmed(c, tokenVerification, func(who row, _ claims) error {
			who.values["verified"] = true
			return nil
		})
	case "confirm-password-reset":
		return r.confirmed(c, tokenPasswordReset, r.resetPassword)
	case "confirm-email-change":
		return r.confirmed(c, tokenEmailChange, r.changeEmail)
	}
	return errMissing()
}

// confirmed changes the user that the token of the body is for.
func (r *request) confirmed(c *collection, kind string, change func(who row, says claims) error) error {
	return r.commit(func(tx *transaction) error {
		says, who, ok := tx.verify(r.text("token"), kind)
		if !ok || who.collection.ID != c.ID || !strings.EqualFold(who.text("email"), says.Email) {
			return flawed("An error occurred while validating the submitted data.", map[string]*flaw{"token": {"validation_invalid_token", "Invalid or expired token."}})
		}
		who = changed(who)
		if err := change(who, says); err != nil {
			return err
		}
		return tx.put(who, "update")
	})
}

func (r *request) resetPassword(who row, _ claims) error {
	password := r.text("password")
	if len(password) < 8 || len(password) > 71 || r.text("passwordConfirm") != password {
		return flawed("An error occurred while validating the submitted data.", map[string]*flaw{"password": flawInvalid})
	}
	who.values["password"] = hashPassword(password)
	who.values["tokenKey"] = rand.Text() + rand.Text()
	who.values["verified"] = true
	return nil
}

func (r *request) requestEmailChange(c *collection) error {
	if r.auth.record == nil || r.auth.collection.ID != c.ID {
		return refusal(http.StatusUnauthorized, "The request requires valid record authorization token.")
	}
	email := r.text("newEmail")
	_, taken := r.state.byEmail(c, email)
	if email == "" || taken || c.byName("email").check(r.state, email) != nil {
		return flawed("An error occurred while validating the submitted data.", map[string]*flaw{"newEmail": flawInvalid})
	}
	token := r.state.sign(r.auth, claims{Type: tokenEmailChange, Email: r.auth.text("email"), NewEmail: email}, mailedTokenTime)
	return r.mail(email, "Confirm your new email address", "Confirm that this is your new address", link("email", token))
}

func (r *request) changeEmail(who row, says claims) error {
	if !samePassword(who.text("password"), r.text("password")) {
		return flawed("An error occurred while validating the submitted data.", map[string]*flaw{"password": {"validation_invalid_password", "Missing or invalid auth record password."}})
	}
	who.values["email"], who.values["verified"] = says.NewEmail, true
	who.values["tokenKey"] = rand.Text() + rand.Text()
	return nil
}

func (r *request) requestOTP(c *collection) (any, error) {
	if !c.auth.OTP.Enabled {
		return nil, refusal(http.StatusForbidden, "The collection is not configured to allow OTP authentication.")
	}
	id := newID()
	email := r.text("email")
	if email == "" || c.byName("email").check(r.state, email) != nil {
		return nil, flawed("An error occurred while validating the submitted data.", map[string]*flaw{"email": flawRequired})
	}
	who, ok := r.state.byEmail(c, email)
	if !ok {
		return map[string]any{"otpId": id}, nil
	}
	password := digits(c.auth.OTP.Length)
	err := r.commit(func(tx *transaction) error {
		tx.otps[id] = otp{
			collection: c.ID, record: who.id, password: password, sentTo: who.text("email"),
			until: time.Now().Add(time.Duration(c.auth.OTP.Duration) * time.Second),
		}
		return nil
	})
	if err == nil {
		err = r.mail(who.text("email"), "Your one-time password", "Your one-time password", password)
	}
	return map[string]any{"otpId": id}, err
}

// digits returns so many random digits.
func digits(count int) string {
	var text strings.Builder
	for range count {
		digit, _ := rand.Int(rand.Reader, big.NewInt(10)) // never fails
		text.WriteString(digit.String())
	}
	return text.String()
}

func (r *request) authWithOTP(c *collection) (any, error) {
	if !c.auth.OTP.Enabled {
		return nil, refusal(http.StatusForbidden, "The collection is not configured to allow OTP authentication.")
	}
	var who row
	var matched bool
	err := r.commit(func(tx *transaction) error {
		id := r.text("otpId")
		sent, ok := tx.otps[id]
		if !ok || sent.collection != c.ID || sent.until.Before(time.Now()) || sent.tries >= maxTries {
			return nil
		}
		sent.tries++
		tx.otps[id] = sent
		found, ok := tx.find(c, sent.record)
		if !ok || subtle.ConstantTimeCompare([]byte(sent.password), []byte(r.text("password"))) != 1 {
			return nil
		}
		delete(tx.otps, id)
		who, matched = changed(found), true
		if who.values["verified"] == true || who.text("email") != sent.sentTo {
			return nil
		}
		who.values["verified"] = true
		who.values["password"], who.values["tokenKey"] = hashPassword(rand.Text()), rand.Text()+rand.Text()
		return tx.put(who, "update")
	})
	if err != nil {
		return nil, err
	}
	if !matched {
		return nil, refusal(http.StatusBadRequest, "Invalid or expired OTP")
	}
	return r.signedIn(who)
}
