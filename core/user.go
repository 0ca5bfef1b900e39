package core

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// User is a person with an account.
type User struct {
	ID            ID      `json:"id"`
	Email         string  `json:"email"`
	DisplayName   *string `json:"displayName"`
	AvatarURL     *string `json:"avatarUrl"`
	EmailVerified bool    `json:"emailVerified"`
	CreatedAt     Time    `json:"createdAt"`
	// Language is that of mails to the person.
	Language Language `json:"-"`

	// PasswordHash is empty for an account that has only ever used OAuth.
	PasswordHash string `json:"-"`
	// CredentialVersion is the claim "ver": raising it invalidates all session
	// tokens issued so far.
	CredentialVersion int `json:"-"`
	// Admin says that the person administers the installation; see InstanceRole.
	Admin bool `json:"-"`
	// DisabledAt is when an admin disabled the account; 0 if none did.
	DisabledAt Time `json:"-"`
}

// Limits of an account's fields.
const (
	MinPasswordChars    = 8
	MaxPasswordChars    = 1024
	MaxEmailBytes       = 254
	MaxDisplayNameChars = 100
)

// NormalEmail trims an address and folds its case, so that two spellings of one
// address compare equal. Different addresses stay different: a letter that folds
// into another alphabet, such as the Kelvin sign, is refused. An invalid address
// has code CodeValidationFailed.
func NormalEmail(text string) (string, error) {
	trimmed := strings.TrimSpace(text)
	email := strings.ToLower(trimmed)
	local, domain, _ := strings.Cut(email, "@")
	if local == "" || slices.Contains(strings.Split(domain, "."), "") || strings.Contains(domain, "@") ||
		len(email) > MaxEmailBytes || !utf8.ValidString(trimmed) || strings.ContainsFunc(trimmed, isNotInEmail) {
		return "", Errorf(CodeValidationFailed, "email must be an address such as name@example.com")
	}
	return email, nil
}

func isNotInEmail(r rune) bool {
	foldsToASCII := r >= utf8.RuneSelf && unicode.ToLower(r) < utf8.RuneSelf
	return foldsToASCII || r == ' ' || !unicode.IsPrint(r) || strings.ContainsRune(`<>()[]\,;:"`, r)
}
