package core

// Passkey is a key with which a person signs in (WebAuthn). The private half never leaves their
// device, or the password manager that keeps it.
type Passkey struct {
	ID   ID     `json:"id"`
	Name string `json:"name"`
	// Synced says that the key may be on several devices of the person.
	Synced    bool `json:"synced"`
	CreatedAt Time `json:"createdAt"`
	// LastUsedAt is nil for a passkey that was never used.
	LastUsedAt *Time `json:"lastUsedAt"`

	UserID ID `json:"-"`
	// CredentialID is the browser's name for the key, in base64url. No two passkeys share one.
	CredentialID string `json:"-"`
	// PublicKey is in the form of the adapter that made it.
	PublicKey []byte `json:"-"`
	// SignCount is the counter of the last use; keys that do not count have 0 for ever.
	SignCount int64 `json:"-"`
	// AAGUID names the model of the authenticator; it is zero for most.
	AAGUID string `json:"-"`
	// Transports is how a browser reaches the key, such as "usb" or "internal".
	Transports []string `json:"-"`
}

const (
	// MaxPasskeys is how many passkeys a person can have.
	MaxPasskeys = 20
	// MaxPasskeyNameChars bounds the name of a passkey.
	MaxPasskeyNameChars = 100
)

// Use notes a use of the key with its counter. It returns false for a counter that has not
// grown: there may be a copy of the key. Keys that never count are exempt, as the standard says.
func (p *Passkey) Use(count int64, at Time) bool {
	if count <= p.SignCount && (count != 0 || p.SignCount != 0) {
		return false
	}
	p.SignCount, p.LastUsedAt = count, &at
	return true
}
