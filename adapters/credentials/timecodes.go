package credentials

import (
	"crypto/subtle"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/identity"
)

// The parameters that all apps know, and the default of otpauth addresses.
const (
	codeDigits      = otp.DigitsSix
	codeAlgorithm   = otp.AlgorithmSHA1
	codePeriod      = 30 // seconds
	codeSecretBytes = 20
)

// TimeCodes makes and computes codes with github.com/pquerna/otp. They are compared here, because
// its Validate does not tell the step of a code, which may be used once, and takes spaces.
type TimeCodes struct{}

var _ identity.TimeCodes = TimeCodes{}

// New implements identity.TimeCodes.
func (TimeCodes) New(issuer, account string) (secret, uri string, err error) {
	key, err := totp.Generate(totp.GenerateOpts{
		Issuer: issuer, AccountName: account, Period: codePeriod, SecretSize: codeSecretBytes, Digits: codeDigits, Algorithm: codeAlgorithm,
	})
	if err != nil {
		return "", "", core.Wrap(core.CodeInternal, err, "a secret of time-based codes cannot be made")
	}
	return key.Secret(), key.URL(), nil
}

// Step implements identity.TimeCodes.
func (TimeCodes) Step(secret, code string, at core.Time, last int64) (step int64, ok bool, err error) {
	now := at.Std().Unix() / codePeriod
	for _, step := range []int64{now, now - 1, now + 1} {
		want, err := hotp.GenerateCodeCustom(secret, uint64(step), hotp.ValidateOpts{Digits: codeDigits, Algorithm: codeAlgorithm})
		if err != nil {
			return 0, false, core.Wrap(core.CodeInternal, err, "a code cannot be checked")
		}
		if step > last && subtle.ConstantTimeCompare([]byte(code), []byte(want)) == 1 {
			return step, true, nil
		}
	}
	return 0, false, nil
}
