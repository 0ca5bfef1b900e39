package credentials

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/identity"
)

// lastSecond is 9999-12-31T23:59:59Z, the last instant in RFC 3339.
const lastSecond = 253402300799

// ownHeader is the header of every token that is signed here:
// {"alg":"HS256","typ":"JWT"}. It needs no further check.
const ownHeader = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"

// payload is the claims set of a token.
type payload struct {
	Issuer    string             `json:"iss"`
	Subject   core.ID            `json:"sub"`
	IssuedAt  int64              `json:"iat"`
	ExpiresAt int64              `json:"exp"`
	NotBefore *int64             `json:"nbf,omitempty"`
	ID        core.ID            `json:"jti"`
	Kind      identity.TokenKind `json:"typ"`
	Version   int                `json:"ver"`
	// Session is "" in tokens that were issued before sessions were records.
	Session core.ID `json:"sid,omitempty"`
}

func newPayload(issuer string, claims identity.Claims) payload {
	return payload{
		Issuer: issuer, Subject: claims.Subject, IssuedAt: claims.IssuedAt.Std().Unix(),
		ExpiresAt: claims.ExpiresAt.Std().Unix(), ID: claims.ID, Kind: claims.Kind, Version: claims.Version,
		Session: claims.Session,
	}
}

func (p payload) claims() identity.Claims {
	return identity.Claims{
		ID: p.ID, Subject: p.Subject, Kind: p.Kind, Version: p.Version, Session: p.Session,
		IssuedAt: core.Time(p.IssuedAt * 1000), ExpiresAt: core.Time(p.ExpiresAt * 1000),
	}
}

// UnmarshalJSON parses a claims set that has every claim once, each of its own type:
// instants are whole seconds, never texts. An audience is refused, because this service
// is never one (RFC 7519, section 4.1.3).
func (p *payload) UnmarshalJSON(data []byte) error {
	set, err := members(data)
	if err != nil {
		return err
	}
	if _, present := set["aud"]; present {
		return errors.New("the token has an audience")
	}
	var typ string
	err = errors.Join(
		readText(set, "iss", &p.Issuer), readText(set, "typ", &typ),
		readID(set, "sub", &p.Subject), readID(set, "jti", &p.ID),
		readInt(set, "iat", lastSecond, &p.IssuedAt), readInt(set, "exp", lastSecond, &p.ExpiresAt),
	)
	p.Kind = identity.TokenKind(typ)
	if _, present := set["nbf"]; present {
		p.NotBefore = new(int64)
		err = errors.Join(err, readInt(set, "nbf", lastSecond, p.NotBefore))
	}
	if _, present := set["sid"]; present {
		err = errors.Join(err, readID(set, "sid", &p.Session))
	}
	var version int64
	err = errors.Join(err, readInt(set, "ver", 1<<31-1, &version))
	p.Version = int(version)
	return err
}

// checkHeader refuses a header with a repeated member, and one with "crit", because no
// extension is supported (RFC 7515, section 4.1.11).
func checkHeader(token string) error {
	encoded, _, _ := strings.Cut(token, ".")
	if encoded == ownHeader {
		return nil
	}
	header, err := base64.RawURLEncoding.DecodeString(encoded)
	if err != nil {
		return err
	}
	set, err := members(header)
	if err != nil {
		return err
	}
	if _, present := set["crit"]; present {
		return errors.New("the token has a critical header")
	}
	return nil
}

// members parses one JSON object without repeated names. encoding/json alone would accept
// the last of two equal names, and names in any case.
func members(data []byte) (map[string]json.RawMessage, error) {
	var set map[string]json.RawMessage
	if err := json.Unmarshal(data, &set); err != nil {
		return nil, err
	}
	if len(set) != countMembers(data) {
		return nil, errors.New("not an object, or a member occurs twice")
	}
	return set, nil
}

// countMembers counts the members of an object of valid JSON: the colons outside of
// strings and nested values.
func countMembers(data []byte) int {
	count, depth, quoted := 0, 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		case c == ':' && depth == 1:
			count++
		}
	}
	return count
}

func readText(set map[string]json.RawMessage, name string, into *string) error {
	raw := set[name]
	if len(raw) == 0 || raw[0] != '"' {
		return fmt.Errorf("the claim %q is missing or not text", name)
	}
	if bytes.IndexByte(raw, '\\') < 0 {
		*into = string(raw[1 : len(raw)-1])
		return nil
	}
	return json.Unmarshal(raw, into)
}

func readID(set map[string]json.RawMessage, name string, into *core.ID) error {
	var text string
	err := readText(set, name, &text)
	if err != nil {
		return err
	}
	*into, err = core.ParseID(text)
	return err
}

func readInt(set map[string]json.RawMessage, name string, most int64, into *int64) error {
	n, err := strconv.ParseInt(string(set[name]), 10, 64)
	if err != nil || n < 0 || n > most {
		return fmt.Errorf("the claim %q is missing or not a whole number from 0 to %d", name, most)
	}
	*into = n
	return nil
}

// The getters make payload a jwt.Claims. The library does not use them, because
// Tokens.Verify checks the claims.

// GetExpirationTime implements jwt.Claims.
func (p payload) GetExpirationTime() (*jwt.NumericDate, error) { return date(&p.ExpiresAt), nil }

// GetIssuedAt implements jwt.Claims.
func (p payload) GetIssuedAt() (*jwt.NumericDate, error) { return date(&p.IssuedAt), nil }

// GetNotBefore implements jwt.Claims.
func (p payload) GetNotBefore() (*jwt.NumericDate, error) { return date(p.NotBefore), nil }

// GetIssuer implements jwt.Claims.
func (p payload) GetIssuer() (string, error) { return p.Issuer, nil }

// GetSubject implements jwt.Claims.
func (p payload) GetSubject() (string, error) { return string(p.Subject), nil }

// GetAudience implements jwt.Claims.
func (p payload) GetAudience() (jwt.ClaimStrings, error) { return nil, nil }

func date(seconds *int64) *jwt.NumericDate {
	if seconds == nil {
		return nil
	}
	return jwt.NewNumericDate(time.Unix(*seconds, 0))
}
