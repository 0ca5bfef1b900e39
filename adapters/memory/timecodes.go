package memory

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // RFC 6238 and all apps use it, as an HMAC
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"net/url"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/identity"
)

// timeStep is the length of a step in milliseconds.
const timeStep = 30_000

// TimeCodes computes codes itself.
type TimeCodes struct{}

var _ identity.TimeCodes = (*TimeCodes)(nil)

// NewTimeCodes returns time-based codes.
func NewTimeCodes() *TimeCodes { return &TimeCodes{} }

// New implements identity.TimeCodes.
func (c *TimeCodes) New(issuer, account string) (secret, uri string, err error) {
	key := make([]byte, 20)
	_, _ = rand.Read(key) // never fails, as crypto/rand says
	secret = base32.StdEncoding.EncodeToString(key)
	address := url.URL{Scheme: "otpauth", Host: "totp", Path: "/" + issuer + ":" + account}
	address.RawQuery = "secret=" + secret + "&issuer=" + url.PathEscape(issuer)
	return secret, address.String(), nil
}

// Step implements identity.TimeCodes.
func (c *TimeCodes) Step(secret, code string, at core.Time, last int64) (step int64, ok bool, err error) {
	now := int64(at) / timeStep
	for _, step := range []int64{now, now - 1, now + 1} {
		want, err := c.codeOf(secret, step)
		if err != nil {
			return 0, false, err
		}
		if step > last && subtle.ConstantTimeCompare([]byte(code), []byte(want)) == 1 {
			return step, true, nil
		}
	}
	return 0, false, nil
}

// Code returns the code that an app with the secret shows at a time.
func (c *TimeCodes) Code(secret string, at core.Time) (string, error) {
	return c.codeOf(secret, int64(at)/timeStep)
}

func (c *TimeCodes) codeOf(secret string, step int64) (string, error) {
	key, err := base32.StdEncoding.DecodeString(secret)
	if err != nil {
		return "", core.Wrap(core.CodeInternal, err, "the secret of time-based codes is malformed")
	}
	mac := hmac.New(sha1.New, key)
	_ = binary.Write(mac, binary.BigEndian, step)
	sum := mac.Sum(nil)
	number := binary.BigEndian.Uint32(sum[sum[19]&15:]) & 0x7fff_ffff
	return fmt.Sprintf("%06d", number%1_000_000), nil
}
