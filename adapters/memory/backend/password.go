package backend

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// fitsPassword reports whether a password has a length that can be set.
func fitsPassword(password string) bool { return len(password) >= 8 && len(password) <= 71 }

// hashRounds is low: the hashes never leave the process.
const hashRounds = 1000

// hashPassword returns a salted hash.
func hashPassword(password string) string { return hashWith(rand.Text(), password) }

// hashWith returns the hash of a password with a salt, which the hash begins with.
func hashWith(salt, password string) string {
	key, err := pbkdf2.Key(sha256.New, password, []byte(salt), hashRounds, sha256.Size)
	if err != nil {
		return "" // no key is that long
	}
	return salt + "$" + base64.RawURLEncoding.EncodeToString(key)
}

// samePassword reports whether a hash is that of a password.
func samePassword(hash, password string) bool {
	salt, _, ok := strings.Cut(hash, "$")
	return ok && hmac.Equal([]byte(hash), []byte(hashWith(salt, password)))
}
