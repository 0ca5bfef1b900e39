package core

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"
)

// APIToken lets a program act for its owner, within its scopes. The token itself
// is shown once and kept as a hash.
type APIToken struct {
	ID     ID      `json:"id"`
	Name   string  `json:"name"`
	Scopes []Scope `json:"scopes"`
	// Prefix is the beginning of the token, enough to distinguish two.
	Prefix string `json:"prefix"`
	// LastUsedAt is exact to a minute; nil if the token was never used.
	LastUsedAt *Time `json:"lastUsedAt"`
	// ExpiresAt is nil for a token that never expires.
	ExpiresAt *Time `json:"expiresAt"`
	CreatedAt Time  `json:"createdAt"`

	UserID    ID     `json:"-"`
	TokenHash string `json:"-"`
}

// APITokenPrefix begins every API token, so that people and scanners recognise one.
const APITokenPrefix = "atl_"

// MaxTokenNameChars bounds the name of an API token.
const MaxTokenNameChars = 100

// Scopes returns every scope that an API token can have.
func Scopes() []Scope {
	return []Scope{
		ScopeProjectsRead, ScopeProjectsWrite, ScopeFilesRead, ScopeFilesWrite,
		ScopeChat, ScopePublish, ScopeWorkspacesRead, ScopeWorkspacesWrite,
	}
}

// ParseScopes returns the scopes that the words name, without duplicates, in the
// order of Scopes. An unknown word and an empty list have code
// CodeValidationFailed.
func ParseScopes(words []string) ([]Scope, error) {
	for _, word := range words {
		if !slices.Contains(Scopes(), Scope(word)) {
			return nil, Errorf(CodeValidationFailed, "scopes may contain only %s", listed(Scopes()))
		}
	}
	if len(words) == 0 {
		return nil, Errorf(CodeValidationFailed, "scopes must name at least one of %s", listed(Scopes()))
	}
	return slices.DeleteFunc(Scopes(), func(scope Scope) bool { return !slices.Contains(words, string(scope)) }), nil
}

func listed(scopes []Scope) string {
	words := make([]string, len(scopes))
	for i, scope := range scopes {
		words[i] = string(scope)
	}
	return strings.Join(words, ", ")
}

// TicketKind says what a ticket is for.
type TicketKind string

// The kinds of tickets.
const (
	// TicketPasswordReset lets its holder set a new password for UserID.
	TicketPasswordReset TicketKind = "password_reset"
	// TicketOAuthState marks a sign-in at a provider that has been finished, so
	// that it is not finished twice. It has no user.
	TicketOAuthState TicketKind = "oauth_state"
	// TicketVerifyEmail proves that UserID reads the mail of their address.
	TicketVerifyEmail TicketKind = "verify_email"
	// TicketChangeEmail makes its address that of UserID.
	TicketChangeEmail TicketKind = "change_email"
	// TicketSitePass leads UserID from the studio to a site that only members see.
	TicketSitePass TicketKind = "site_pass"
	// TicketPreviewLeft marks a code of a page that left a preview's former address (core/preview),
	// so that it is not used twice. TicketPreviewArrival lets that page arrive at the present one.
	TicketPreviewLeft    TicketKind = "preview_left"
	TicketPreviewArrival TicketKind = "preview_arrival"
	// TicketSecondFactor lets UserID finish a sign-in with a second factor.
	TicketSecondFactor TicketKind = "second_factor"
	// TicketPasskeyNew is the challenge of a passkey that UserID registers, in the session Proof.
	// TicketPasskeyStep is that of a second factor of UserID, TicketPasskeySignIn that of
	// anyone with a passkey.
	TicketPasskeyNew    TicketKind = "passkey_new"
	TicketPasskeyStep   TicketKind = "passkey_step"
	TicketPasskeySignIn TicketKind = "passkey_sign_in"
)

// Ticket is a secret that works once. Only its hash is stored.
type Ticket struct {
	Kind   TicketKind
	Hash   string
	UserID ID
	// Address is the e-mail address to which the secret went, for tickets that prove one.
	Address   string
	ExpiresAt Time

	// The others are those of TicketSecondFactor. Proof is what was already proven: "password",
	// or the name of an identity provider. Version is the user's credential version at that
	// time, and Wrong counts the wrong codes since.
	Proof   string
	Version int
	Wrong   int
}

// NewSecret returns an unguessable text of 43 characters [A-Za-z0-9_-].
func NewSecret() string {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails, as crypto/rand says
	return base64.RawURLEncoding.EncodeToString(random)
}

// HashSecret returns the hash that is stored for a secret of NewSecret. A fast hash
// is enough, because nobody can try 2^256 secrets.
func HashSecret(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}
