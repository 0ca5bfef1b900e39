package core

import "slices"

// Scope bounds what an API token may do.
type Scope string

// The scopes of API tokens. A write scope includes its read scope.
const (
	ScopeProjectsRead    Scope = "projects:read"
	ScopeProjectsWrite   Scope = "projects:write"
	ScopeFilesRead       Scope = "files:read"
	ScopeFilesWrite      Scope = "files:write"
	ScopeChat            Scope = "chat"
	ScopePublish         Scope = "publish"
	ScopeWorkspacesRead  Scope = "workspaces:read"
	ScopeWorkspacesWrite Scope = "workspaces:write"
	// ScopeNone marks what no API token may do: tokens and the account.
	ScopeNone Scope = ""
)

// Actor is the caller of a use case: a signed-in user, perhaps through an API
// token. It is passed as a parameter, never in a context.
type Actor struct {
	UserID ID
	// Token says that the caller presented an API token, which may do only what
	// Scopes allow.
	Token  bool
	Scopes []Scope
	// CredentialVersion is the account's version when the session began. A session
	// with an older one was ended before it expired.
	CredentialVersion int
	// SessionID is that of the session, "" for one that began before sessions were
	// records.
	SessionID ID
	// TokenID is the API token's, "" without one.
	TokenID ID
	// Until is when the caller's token expires, 0 for never.
	Until Time
	// NeedsFactor says that the installation requires a second factor and that the caller, who
	// is no program, has none. They may only use their account.
	NeedsFactor bool
	// NeedsEmail says that the installation requires a verified address and that the caller, be it
	// through an API token, has none. They may only use their account.
	NeedsEmail bool
	// Unattended says that the service carries on by itself what the person, or a program of
	// theirs, began.
	Unattended bool
	// IP is the address that the call came from, for the audit log; "" when the
	// service acts by itself. It is also set for callers who are not signed in.
	IP string
	// Agent is the User-Agent of the call, for the list of sessions.
	Agent string
	// Language is the one that the call asked for (Accept-Language), "" for none.
	Language Language
}

// Unattended returns the actor for what the service carries on by itself for a person.
func Unattended(person ID) Actor { return Actor{UserID: person, Unattended: true} }

// CheckPolicies returns CodeEmailUnverified and CodeMFASetupRequired to a caller who must verify
// the address, or set a second factor up, before doing anything else with the service than with the
// account.
func (a Actor) CheckPolicies() error {
	if a.NeedsEmail {
		return Errorf(CodeEmailUnverified, "this service requires a verified e-mail address: open the link in the mail that you got, or request a new one in your account settings")
	}
	if a.NeedsFactor {
		return Errorf(CodeMFASetupRequired, "this service requires two-step verification: turn it on in your account settings first")
	}
	return nil
}

// Permits reports whether the caller's scopes allow need.
func (a Actor) Permits(need Scope) bool {
	if !a.Token {
		return true
	}
	if need == ScopeNone {
		return false
	}
	return slices.ContainsFunc(a.Scopes, func(have Scope) bool { return have.includes(need) })
}

func (s Scope) includes(need Scope) bool {
	if s == need {
		return true
	}
	switch s {
	case ScopeProjectsWrite:
		return need == ScopeProjectsRead
	case ScopeFilesWrite:
		return need == ScopeFilesRead
	case ScopeWorkspacesWrite:
		return need == ScopeWorkspacesRead
	}
	return false
}
