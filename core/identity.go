package core

// IdentityProvider is a service that vouches for a person.
type IdentityProvider string

// The providers of identities.
const (
	IdentityGitHub IdentityProvider = "github"
	IdentityGoogle IdentityProvider = "google"
)

// Identity links an account to one at a provider, which identifies the person by an
// unchanging Subject.
type Identity struct {
	Provider  IdentityProvider
	Subject   string
	UserID    ID
	CreatedAt Time
}

// Subscription is a person's own access to a model, which only they use. Its
// secrets are sealed and never leave the service.
type Subscription struct {
	ID   ID     `json:"id"`
	Kind string `json:"kind"`
	Name string `json:"name"`
	// KeyHint is the end of the key, enough to distinguish two.
	KeyHint   string `json:"keyHint"`
	CreatedAt Time   `json:"createdAt"`
	UpdatedAt Time   `json:"updatedAt"`
	// ExpiresAt is when the key must be refreshed; nil if it never expires.
	ExpiresAt *Time `json:"expiresAt"`

	UserID    ID     `json:"-"`
	SealedKey []byte `json:"-"`
	// SealedRefresh is nil if the key cannot be refreshed.
	SealedRefresh []byte `json:"-"`
}

// SubscriptionGitHub is the kind of a subscription to GitHub's models.
const SubscriptionGitHub = "github"
