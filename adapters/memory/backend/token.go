package backend

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

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
func (s *state) sign(who row, says claims, valid time.Duration) string {
	if who.record != nil {
		says.Collection, says.ID = who.collection.ID, who.id
	}
	says.Expires = time.Now().Add(valid).Unix()
	text, _ := json.Marshal(says)
	signed := tokenHeader + "." + base64url.EncodeToString(text)
	return signed + "." + s.signature(signed, who)
}

// signature depends on the place's secret and on the user's, which changes with the password.
func (s *state) signature(signed string, who row) string {
	key := s.secret
	if who.record != nil {
		key += who.text("tokenKey")
	}
	sum := hmac.New(sha256.New, []byte(key))
	_, _ = sum.Write([]byte(signed))
	return base64url.EncodeToString(sum.Sum(nil))
}

// verify returns what a token of a type says, and of whom.
func (s *state) verify(token, wanted string) (claims, row, bool) {
	var says claims
	parts := strings.Split(token, ".")
	if len(parts) != 3 || parts[0] != tokenHeader {
		return says, row{}, false
	}
	text, err := base64url.DecodeString(parts[1])
	if err != nil || json.Unmarshal(text, &says) != nil || says.Type != wanted || says.Expires < time.Now().Unix() {
		return says, row{}, false
	}
	who := row{}
	if !says.Owner {
		c := s.collection(says.Collection)
		if c == nil || c.Type != port.Auth {
			return says, row{}, false
		}
		found, ok := s.find(c, says.ID)
		if !ok {
			return says, row{}, false
		}
		who = found
	}
	return says, who, hmac.Equal([]byte(parts[2]), []byte(s.signature(parts[0]+"."+parts[1], who)))
}

// hashRounds is low: the hashes never leave the process.
const hashRounds = 1000

// hashPassword returns a salted hash.
func hashPassword(password string) string { return hashWith(rand.Text(), password) }

func hashWith(salt, password string) string {
	key, err := pbkdf2.Key(sha256.New, password, []byte(salt), hashRounds, sha256.Size)
	if err != nil {
		return "" // no key is that long
	}
	return salt + "$" + base64url.EncodeToString(key)
}

func samePassword(hash, password string) bool {
	salt, _, ok := strings.Cut(hash, "$")
	return ok && hmac.Equal([]byte(hash), []byte(hashWith(salt, password)))
}
