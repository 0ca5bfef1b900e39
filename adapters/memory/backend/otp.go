package backend

import (
	"crypto/rand"
	"crypto/subtle"
	"math/big"
	"net/http"
	"strings"
	"time"

	"github.com/atelierhq/atelier/adapters/memory/backend/records"
)

// maxTries bounds the guesses of a one-time password.
const maxTries = 5

func errNoOTP() error {
	return refusal(http.StatusForbidden, "The collection is not configured to allow OTP authentication.")
}

// requestOTP mails a one-time password. Whether the address is known stays secret.
func (a authentication) requestOTP() (any, error) {
	options := a.c.Auth.OTP
	if !options.Enabled {
		return nil, errNoOTP()
	}
	id := records.NewID()
	email := a.text("email")
	if email == "" || a.c.ByName("email").Check(a.state, email) != nil {
		return nil, flawed(map[string]*records.Flaw{"email": records.FlawRequired})
	}
	who, ok := byEmail(a.state, a.c, email)
	if !ok {
		return map[string]any{"otpId": id}, nil
	}
	password := digits(options.Length)
	err := a.commit(func(tx *records.Transaction) error {
		tx.OTPs[id] = records.OTP{
			Collection: a.c.ID, Record: who.ID, Password: password, SentTo: who.Text("email"),
			Until: time.Now().Add(time.Duration(options.Duration) * time.Second),
		}
		return nil
	})
	if err == nil {
		err = a.set.mail(who.Text("email"), "Your one-time password", "Your one-time password", password)
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

// withOTP signs in a user by a one-time password.
func (a authentication) withOTP() (any, error) {
	if !a.c.Auth.OTP.Enabled {
		return nil, errNoOTP()
	}
	var who records.Row
	err := a.commit(func(tx *records.Transaction) error {
		sent, ok := a.redeem(tx)
		found, exists := tx.Find(a.c, sent.Record)
		if !ok || !exists {
			return nil
		}
		who = found.Clone()
		if who.Values["verified"] == true || who.Text("email") != sent.SentTo {
			return nil
		}
		// Somebody else may have registered the address, and know the password.
		who.Values["verified"] = true
		who.Values["password"], who.Values["tokenKey"] = hashPassword(rand.Text()), records.NewSecret()
		return tx.Put(who, records.Update)
	})
	if err != nil {
		return nil, err
	}
	if !who.Exists() {
		return nil, refusal(http.StatusBadRequest, "Invalid or expired OTP")
	}
	return a.signedIn(who)
}

// redeem returns the one-time password that the body names, if its password is right. It can be
// redeemed once, and guessed maxTries times.
func (a authentication) redeem(tx *records.Transaction) (records.OTP, bool) {
	id := a.text("otpId")
	sent, ok := tx.OTPs[id]
	if !ok || sent.Collection != a.c.ID || sent.Until.Before(time.Now()) || sent.Tries >= maxTries {
		return records.OTP{}, false
	}
	sent.Tries++
	tx.OTPs[id] = sent
	if subtle.ConstantTimeCompare([]byte(sent.Password), []byte(a.text("password"))) != 1 {
		return records.OTP{}, false
	}
	delete(tx.OTPs, id)
	return sent, true
}
