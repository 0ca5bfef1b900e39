package core

import (
	"crypto/rand"
	"encoding/base32"
	"slices"
	"strings"
)

// Factor is a person's second factor for signing in: an app that makes time-based codes
// (TOTP), passkeys, and recovery codes for when these are lost.
type Factor struct {
	UserID ID
	// SealedSecret is the secret that the app shares, nil until it was confirmed with a code.
	SealedSecret []byte
	// ConfirmedAt is when the app was turned on; 0 without one.
	ConfirmedAt Time
	// LastStep is the step of time (Unix time / 30 s) of the last code that was used. No code
	// of it or of an earlier step works again.
	LastStep int64
	// RecoveryHashes are the hashes of the recovery codes that are left.
	RecoveryHashes []string
	// SealedPending is a secret that replaces SealedSecret once it is confirmed, nil without
	// one. It cannot be confirmed from PendingUntil on.
	SealedPending []byte
	PendingUntil  Time
	// Passkeys is how many passkeys the person has. It changes in one transaction with them.
	Passkeys int
}

// On reports whether signing in needs the factor.
func (f Factor) On() bool { return f.HasApp() || f.Passkeys > 0 }

// HasApp reports whether an app makes codes.
func (f Factor) HasApp() bool { return f.ConfirmedAt != 0 }

// FactorMethod is a way to give a second factor.
type FactorMethod string

// Methods of a second factor.
const (
	FactorPasskey  FactorMethod = "passkey"
	FactorApp      FactorMethod = "app"
	FactorRecovery FactorMethod = "recovery"
)

// Methods returns the ways that the person has, the easiest first.
func (f Factor) Methods() []FactorMethod {
	var all []FactorMethod
	if f.Passkeys > 0 {
		all = append(all, FactorPasskey)
	}
	if f.HasApp() {
		all = append(all, FactorApp)
	}
	if len(f.RecoveryHashes) > 0 {
		all = append(all, FactorRecovery)
	}
	return all
}

// RecoveryCodes is how many recovery codes a person gets at a time.
const RecoveryCodes = 10

// recoveryBytes is 120 bits. ASVS 5.0 (6.5.2) allows fast hashes from 112 bits on; codes of 80 bits
// from before go on working.
const recoveryBytes = 15

// NewRecoveryCode returns an unguessable text of 120 bits to write down, such as
// "k3vq-7xpa-m2dz-w5ty-bn4c-e6lh".
func NewRecoveryCode() string {
	random := make([]byte, recoveryBytes)
	_, _ = rand.Read(random) // never fails, as crypto/rand says
	text := strings.ToLower(base32.StdEncoding.EncodeToString(random))
	var groups []string
	for group := range slices.Chunk([]byte(text), 4) {
		groups = append(groups, string(group))
	}
	return strings.Join(groups, "-")
}

// HashRecoveryCode returns the hash that is stored for a recovery code of a user. Case,
// spaces and dashes do not matter. A fast hash is enough, because nobody can try 2^80 codes, the fewest that there are.
func HashRecoveryCode(user ID, code string) string {
	return HashSecret(string(user) + " " + strings.ToLower(withoutGaps(code)))
}

// UseRecoveryCode removes a recovery code, and reports whether it was there.
func (f *Factor) UseRecoveryCode(code string) bool {
	at := slices.Index(f.RecoveryHashes, HashRecoveryCode(f.UserID, code))
	if at < 0 {
		return false
	}
	f.RecoveryHashes = slices.Delete(slices.Clone(f.RecoveryHashes), at, at+1)
	return true
}

// ParseTimeCode returns a time-based code as the app shows it, without the gaps with which
// people type it. It returns false for anything but six digits 0 to 9.
func ParseTimeCode(text string) (code string, ok bool) {
	code = withoutGaps(text)
	if len(code) != timeCodeDigits || strings.Trim(code, "0123456789") != "" {
		return "", false
	}
	return code, true
}

const timeCodeDigits = 6

// withoutGaps removes spaces and dashes.
func withoutGaps(code string) string { return strings.NewReplacer(" ", "", "-", "").Replace(code) }
