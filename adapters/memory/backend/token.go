package backend

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"github.com/atelierhq/atelier/adapters/memory/backend/records"
	port "github.com/atelierhq/atelier/ports/backend"
)

// Types of tokens.
const (
	tokenAuth          = "auth"
	tokenFile          = "file"
	tokenVerification  = "verification"
	tokenPasswordReset = "passwordReset"
	tokenEmailChange   = "emailChange"
)

// How long tokens are valid.
const (
	authTokenTime   = 7 * 24 * time.Hour
	fileTokenTime   = 3 * time.Minute
	mailedTokenTime = 30 * time.Minute
)

// claims is what a token says.
type claims struct {
	Type       string `json:"type"`
	Collection string `json:"collectionId"`
	ID         string `json:"id"`
	Expires    int64  `json:"exp"`
	Email      string `json:"email,omitempty"`
	NewEmail   string `json:"newEmail,omitempty"`
	// Owner marks the file tokens of members.
	Owner bool `json:"owner,omitempty"`
}

var base64url = base64.RawURLEncoding

// tokenHeader is that of all tokens: JSON Web Tokens, because clients read when they expire.
var tokenHeader = base64url.EncodeToString([]byte(`{"alg":"HS256","typ":"JWT"}`))

// sign makes a token for an end user.
func sign(s *records.State, who records.Row, says claims, valid time.Duration) string {
	if who.Exists() {
		says.Collection, says.ID = who.Collection.ID, who.ID
	}
	says.Expires = time.Now().Add(valid).Unix()
	text, _ := json.Marshal(says)
	signed := tokenHeader + "." + base64url.EncodeToString(text)
	return signed + "." + signature(s, signed, who)
}

// signature depends on the place's secret and on the user's, which changes with the password.
func signature(s *records.State, signed string, who records.Row) string {
	key := s.Secret
	if who.Exists() {
		key += who.Text("tokenKey")
	}
	sum := hmac.New(sha256.New, []byte(key))
	_, _ = sum.Write([]byte(signed))
	return base64url.EncodeToString(sum.Sum(nil))
}

// verify returns what a token of a type says, and of whom.
func verify(s *records.State, token, wanted string) (claims, records.Row, bool) {
	var says claims
	parts := strings.Split(token, ".")
	if len(parts) != 3 || parts[0] != tokenHeader {
		return says, records.Row{}, false
	}
	text, err := base64url.DecodeString(parts[1])
	if err != nil || json.Unmarshal(text, &says) != nil || says.Type != wanted || says.Expires < time.Now().Unix() {
		return says, records.Row{}, false
	}
	who := records.Row{}
	if !says.Owner {
		c := s.Collection(says.Collection)
		if c == nil || c.Type != port.Auth {
			return says, records.Row{}, false
		}
		found, ok := s.Find(c, says.ID)
		if !ok {
			return says, records.Row{}, false
		}
		who = found
	}
	return says, who, hmac.Equal([]byte(parts[2]), []byte(signature(s, parts[0]+"."+parts[1], who)))
}
