package core

// ProgramClient is a program that registered itself, so that people can let it act for them.
type ProgramClient struct {
	ID ID
	// Name is the program's own. Nobody has checked it.
	Name string
	// Redirects are the addresses to which it may be sent back.
	Redirects []string
	CreatedAt Time
	// UsedAt is when a person last allowed it something, 0 for never.
	UsedAt Time
}

// ProgramGrant lets a program act for a person at the tools, within Scopes. It begins as a code
// that works once, and goes on with tokens that replace each other. Only hashes of them are kept.
type ProgramGrant struct {
	ID     ID
	UserID ID
	// SessionID and CredentialVersion are those of the session in which the person agreed. Once it
	// has ended, the code no longer works; tokens stay.
	SessionID         ID
	CredentialVersion int
	// ClientID is the program's: the id of a ProgramClient, or the address of its document.
	ClientID string
	// Name is the program's own. Host is that of its document, "" for a program that
	// registered itself.
	Name, Host string
	// Redirect and Challenge are those of the request, Resource the address that the tokens are for.
	Redirect, Challenge, Resource string
	Scopes                        []Scope
	// FamilyHash is that of the part which the code and all refresh tokens share.
	FamilyHash string
	// CodeHash is that of the code, "" once it has been used.
	CodeHash string
	// RefreshHash and AccessHash are those of the current tokens.
	RefreshHash, AccessHash string
	AccessExpiresAt         Time
	// ExpiresAt is when the code, or else the refresh token, expires.
	ExpiresAt Time
	CreatedAt Time
	// LastUsedAt is exact to a minute, 0 for never.
	LastUsedAt Time
}

// IsPending reports whether the program has not yet exchanged its code.
func (g ProgramGrant) IsPending() bool { return g.CodeHash != "" }
