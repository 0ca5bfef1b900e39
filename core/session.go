package core

import "slices"

// Session is opened by a sign-in. Its tokens carry its id. It ends by signing out, by
// the reuse of a refresh token, or with the credentials that opened it.
type Session struct {
	ID     ID
	UserID ID
	// TokenID is the refresh token that renews it next.
	TokenID ID
	// Spent are the refresh tokens that renewed it within RefreshGrace.
	Spent []SpentToken
	// SignedUp says that the account was created in this session.
	SignedUp bool
	// SecondFactor says that the sign-in gave a second factor as well.
	SecondFactor bool
	// Network is the network from which it was opened: an IPv4 address, or a /64 of
	// IPv6.
	Network string
	// Device is the program that signed in, in a few words such as "Firefox on Windows";
	// "" if it did not say.
	Device string
	// Address is the one that it was opened or last renewed from.
	Address   string
	CreatedAt Time
	// LastSeenAt is exact to a minute.
	LastSeenAt Time
	// ExpiresAt is when its last token expires.
	ExpiresAt Time
	// EndedAt is nil while the session lasts. The record of an ended session stays
	// until ExpiresAt, as a tombstone.
	EndedAt *Time
}

// SpentToken is a refresh token that was used, and when for the first time.
type SpentToken struct {
	ID ID   `json:"id"`
	At Time `json:"at"`
}

// RefreshGrace is how long a refresh token still works after its first use, in
// milliseconds: two tabs may renew a session at once, and an
// answer may get lost.
const RefreshGrace = 30_000

// maxSpentTokens bounds Session.Spent. A session that is renewed more often within
// RefreshGrace keeps its refresh token for that time.
const maxSpentTokens = 32

// Renew uses a refresh token of the session. next becomes the new token, unless
// another use of the same token has just made one, which is then TokenID. It returns
// false, and the session ends, for a token that was first used longer than
// RefreshGrace ago: somebody has a copy, and nobody can tell who.
func (s *Session) Renew(token, next ID, now, expires Time) bool {
	s.Spent = slices.DeleteFunc(slices.Clone(s.Spent), func(spent SpentToken) bool { return now > spent.At+RefreshGrace })
	switch {
	case token == s.TokenID && len(s.Spent) < maxSpentTokens:
		s.Spent, s.TokenID = append(s.Spent, SpentToken{token, now}), next
	case token == s.TokenID:
	case s.Repeats(token):
	default:
		s.EndedAt = &now
		return false
	}
	s.ExpiresAt = max(s.ExpiresAt, expires)
	return true
}

// Repeats reports whether a refresh token that Renew takes was used before.
func (s *Session) Repeats(token ID) bool {
	return slices.ContainsFunc(s.Spent, func(spent SpentToken) bool { return spent.ID == token })
}

// SessionStatus says whether the credentials of a sign-in are still valid.
type SessionStatus struct {
	// CredentialVersion is the user's current one.
	CredentialVersion int
	// Open says that the session exists and has not ended.
	Open bool
}
