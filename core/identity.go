package core

// IdentityProvider is who vouches for a person.
type IdentityProvider string

// The providers of identities (contract, section 2).
const (
	IdentityGitHub IdentityProvider = "github"
	IdentityGoogle IdentityProvider = "google"
)

// Identity joins an account to one at a provider, which knows the person by an
// unchanging Subject.
type Identity struct {
	Provider  IdentityProvider
	Subject   string
	UserID    ID
	CreatedAt Time
}

// Subscription is a person's own access to a model, which only they spend. Its
// secrets are sealed and never leave the service.
type Subscription struct {
	ID   ID     `json:"id"`
	Kind string `json:"kind"`
	Name string `json:"name"`
	// KeyHint is the end of the key, enough to tell two apart.
	KeyHint   string `json:"keyHint"`
	CreatedAt Time   `json:"createdAt"`
	UpdatedAt Time   `json:"updatedAt"`
	// ExpiresAt is when the key must be refreshed; nil when it never runs out.
	ExpiresAt *Time `json:"expiresAt"`

	UserID    ID     `json:"-"`
	SealedKey []byte `json:"-"`
	// SealedRefresh is nil when the key cannot be refreshed.
	SealedRefresh []byte `json:"-"`
}

// SubscriptionGitHub is the kind of a subscription to GitHub's models.
const SubscriptionGitHub = "github"
