package core

import "slices"

// Session is what a sign-in opens. Its tokens carry its id; it ends by signing out,
// by the reuse of a refresh token, and with the credentials that opened it.
type Session struct {
	ID     ID
	UserID ID
	// TokenID is the refresh token that renews it next.
	TokenID ID
	// Spent are the refresh tokens that renewed it within RefreshGrace.
	Spent []SpentToken
	// SignedUp says that the account was made in it.
	SignedUp bool
	// Network is where it was opened from: an address of IPv4, or a /64 of IPv6.
	Network   string
	CreatedAt Time
	// ExpiresAt is when its last token runs out.
	ExpiresAt Time
	// EndedAt is nil while it lasts. An ended one stays until ExpiresAt.
	EndedAt *Time
}

// SpentToken is a refresh token that was used, and when for the first time.
type SpentToken struct {
	ID ID   `json:"id"`
	At Time `json:"at"`
}

// RefreshGrace is how long a refresh token goes on to work once it was used (contract,
// section 1.3): two tabs may renew a session at once, and an answer may get lost.
const RefreshGrace = 30_000

// maxSpentTokens bounds Session.Spent. A session that is renewed more often within
// RefreshGrace keeps its refresh token meanwhile.
const maxSpentTokens = 32

// Renew uses a refresh token of the session. The next one becomes next, unless
// another use of the token has just brought one, which is TokenID then. It returns
// false for a token that was used longer than RefreshGrace ago: somebody has a copy of
// it, nobody can tell who, and the session ends.
func (s *Session) Renew(token, next ID, now, expires Time) bool {
	s.Spent = slices.DeleteFunc(slices.Clone(s.Spent), func(spent SpentToken) bool { return now > spent.At+RefreshGrace })
	switch {
	case token == s.TokenID && len(s.Spent) < maxSpentTokens:
		s.Spent, s.TokenID = append(s.Spent, SpentToken{token, now}), next
	case token == s.TokenID:
	case slices.ContainsFunc(s.Spent, func(spent SpentToken) bool { return spent.ID == token }):
	default:
		s.EndedAt = &now
		return false
	}
	s.ExpiresAt = max(s.ExpiresAt, expires)
	return true
}

// Standing is whether what somebody signed in with still counts.
type Standing struct {
	// CredentialVersion is the user's at present.
	CredentialVersion int
	// Open reports whether the session is there and has not ended.
	Open bool
}
