package credentials

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/identity"
)

// KeyBytes is the size of a sealer's key: AES-256.
const KeyBytes = 32

// tokenChars is the length of a derived text: 130 bits.
const tokenChars = 26

// Sealer encrypts with AES-256-GCM. A sealed secret is a random nonce of 12 bytes, the
// ciphertext and the tag. Its place is the additional data.
type Sealer struct {
	gcm    cipher.AEAD
	macKey []byte
}

var _ identity.Sealer = (*Sealer)(nil)

// NewSealer takes a key of KeyBytes; any other length has code core.CodeValidationFailed.
// Encryption and derived texts use separate keys, derived from it by HKDF.
func NewSealer(key []byte) (*Sealer, error) {
	if len(key) != KeyBytes {
		return nil, core.Errorf(core.CodeValidationFailed, "the encryption key must have %d bytes, not %d", KeyBytes, len(key))
	}
	sealKey, sealErr := hkdf.Key(sha256.New, key, nil, "atelier seal", KeyBytes)
	macKey, macErr := hkdf.Key(sha256.New, key, nil, "atelier token", sha256.Size)
	if sealErr != nil || macErr != nil {
		return nil, core.Errorf(core.CodeInternal, "the keys cannot be derived: %v, %v", sealErr, macErr)
	}
	block, err := aes.NewCipher(sealKey)
	if err != nil {
		return nil, core.Wrap(core.CodeInternal, err, "AES-256 is not available")
	}
	gcm, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, core.Wrap(core.CodeInternal, err, "AES-256-GCM is not available")
	}
	return &Sealer{gcm, macKey}, nil
}

// Seal implements identity.Sealer.
func (s *Sealer) Seal(secret []byte, place string) ([]byte, error) {
	return s.gcm.Seal(nil, nil, secret, []byte(place)), nil
}

// Open implements identity.Sealer.
func (s *Sealer) Open(sealed []byte, place string) ([]byte, error) {
	secret, err := s.gcm.Open(nil, nil, sealed, []byte(place))
	if err != nil {
		return nil, core.Wrap(core.CodeInternal, err, "a sealed secret cannot be opened")
	}
	return secret, nil
}

// Token implements identity.Sealer: HMAC-SHA256 over the parts, each preceded by its
// length, so that different parts never give the same input.
func (s *Sealer) Token(parts ...string) string {
	mac := hmac.New(sha256.New, s.macKey)
	var length [8]byte
	for _, part := range parts {
		binary.BigEndian.PutUint64(length[:], uint64(len(part)))
		mac.Write(length[:])
		mac.Write([]byte(part))
	}
	return strings.ToLower(base32.StdEncoding.EncodeToString(mac.Sum(nil)))[:tokenChars]
}
