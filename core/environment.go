package core

import (
	"strings"
	"unicode/utf8"
)

// Variable is an environment variable of a project, without its value: that is
// sealed and never shown to anybody.
type Variable struct {
	Key       string `json:"key"`
	CreatedAt Time   `json:"createdAt"`
	UpdatedAt Time   `json:"updatedAt"`

	ProjectID   ID     `json:"-"`
	SealedValue []byte `json:"-"`
}

// PublicVariablePrefix begins the keys of variables that a build may put into
// pages, where everybody can read them.
const PublicVariablePrefix = "VITE_"

// Limits of environment values.
const (
	MaxVariables        = 200
	MaxVariableKeyChars = 128
	// MaxVariableBytes bounds a value, in bytes of UTF-8.
	MaxVariableBytes = 64 << 10
)

// Public reports whether builds may put the value into pages.
func (v Variable) Public() bool { return strings.HasPrefix(v.Key, PublicVariablePrefix) }

// CheckVariableKey returns CodeValidationFailed unless a key matches
// [A-Za-z_][A-Za-z0-9_]{0,127}.
func CheckVariableKey(key string) error {
	ok := len(key) >= 1 && len(key) <= MaxVariableKeyChars && (key[0] < '0' || key[0] > '9')
	for i := range len(key) {
		c := key[i]
		ok = ok && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_')
	}
	if !ok {
		return Errorf(CodeValidationFailed, "key must match [A-Za-z_][A-Za-z0-9_]{0,%d}", MaxVariableKeyChars-1)
	}
	return nil
}

// CheckVariableValue returns CodeValidationFailed unless a value is at most 64 KiB
// of text without NUL, which an environment cannot hold. The error does not quote
// the value.
func CheckVariableValue(value string) error {
	if len(value) > MaxVariableBytes || !utf8.ValidString(value) || strings.ContainsRune(value, 0) {
		return Errorf(CodeValidationFailed, "value must be text of at most %d bytes without NUL", MaxVariableBytes)
	}
	return nil
}
