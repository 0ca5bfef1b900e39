package core

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// SignInProvider is a provider of OAuth with which the end users of one environment of a project's
// backend may sign in, without its secret: that is sealed and never shown to anybody.
type SignInProvider struct {
	// Name is a kind of provider, such as google. An environment has one of each kind.
	Name     string `json:"name"`
	ClientID string `json:"clientId"`
	// DisplayName is for people, empty for the kind's own.
	DisplayName string `json:"displayName"`
	// The addresses are empty for the kind's own.
	AuthURL     string `json:"authURL"`
	TokenURL    string `json:"tokenURL"`
	UserInfoURL string `json:"userInfoURL"`
	// PKCE overrides what the kind does by itself.
	PKCE      *bool `json:"pkce"`
	CreatedAt Time  `json:"createdAt"`
	UpdatedAt Time  `json:"updatedAt"`

	ProjectID    ID      `json:"-"`
	Env          DataEnv `json:"-"`
	SealedSecret []byte  `json:"-"`
}

// Limits of sign-in providers.
const (
	MaxClientIDChars    = 500
	MaxProviderURLChars = 2000
	// MaxClientSecretBytes bounds a secret, in bytes of UTF-8. Some are signed tokens.
	MaxClientSecretBytes = 8 << 10
)

// Check returns CodeValidationFailed with the first member that breaks a rule. Which kinds there are
// and which addresses may be asked is not its concern.
func (p SignInProvider) Check() error {
	if !isLine(p.ClientID, MaxClientIDChars) || p.ClientID == "" {
		return Errorf(CodeValidationFailed, "clientId must be one line of 1 to %d characters: copy it from the provider's console", MaxClientIDChars)
	}
	if !isLine(p.DisplayName, MaxDisplayNameChars) {
		return Errorf(CodeValidationFailed, "displayName must be one line of at most %d characters", MaxDisplayNameChars)
	}
	for _, url := range []struct{ name, text string }{{"authURL", p.AuthURL}, {"tokenURL", p.TokenURL}, {"userInfoURL", p.UserInfoURL}} {
		if !isLine(url.text, MaxProviderURLChars) {
			return Errorf(CodeValidationFailed, "%s must be an address of at most %d characters", url.name, MaxProviderURLChars)
		}
	}
	return nil
}

// CheckClientSecret returns CodeValidationFailed unless a secret is one line of text. The error does
// not quote it.
func CheckClientSecret(secret string) error {
	if secret == "" || !isLine(secret, MaxClientSecretBytes) || len(secret) > MaxClientSecretBytes {
		return Errorf(CodeValidationFailed, "clientSecret must be one line of 1 to %d bytes: copy it from the provider's console", MaxClientSecretBytes)
	}
	return nil
}

// isLine reports whether a text is valid, short enough, free of control characters, and neither
// begins nor ends with a space, as what was copied badly does.
func isLine(text string, most int) bool {
	return utf8.ValidString(text) && utf8.RuneCountInString(text) <= most &&
		!strings.ContainsFunc(text, unicode.IsControl) && text == strings.TrimSpace(text)
}
