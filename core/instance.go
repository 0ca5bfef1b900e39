package core

import (
	"slices"
	"strings"
)

// InstanceRole is a person's role in the whole installation. It is independent of their roles in
// workspaces, and opens none of them.
type InstanceRole string

// The roles in the installation.
const (
	InstanceNone  InstanceRole = ""
	InstanceAdmin InstanceRole = "admin"
)

// AdminEmails are addresses whose accounts are admins of the installation once the address is
// verified. They are normal (NormalEmail).
type AdminEmails []string

// InstanceRole returns the person's role in the installation. A disabled account has none.
func (u User) InstanceRole(named AdminEmails) InstanceRole {
	isNamed := u.EmailVerified && slices.Contains(named, u.Email)
	if u.DisabledAt != 0 || !u.Admin && !isNamed {
		return InstanceNone
	}
	return InstanceAdmin
}

// SignupPolicy says who may create an account.
type SignupPolicy string

// The policies. People with an invitation to their address may always create their account, and so
// may the first person.
const (
	SignupOpen SignupPolicy = "open"
	// SignupDomains admits addresses at some domains.
	SignupDomains SignupPolicy = "domains"
	// SignupInvite admits nobody else.
	SignupInvite SignupPolicy = "invite"
	// SignupClosed is SignupInvite, and admins cannot invite people to the installation either.
	SignupClosed SignupPolicy = "closed"
)

// SignupPolicies returns every policy.
func SignupPolicies() []SignupPolicy {
	return []SignupPolicy{SignupOpen, SignupDomains, SignupInvite, SignupClosed}
}

// InstanceSettings are the decisions of the installation's admins. The zero value of a field
// leaves it to its default.
type InstanceSettings struct {
	Signup SignupPolicy `json:"signup,omitempty"`
	// SignupDomains are the domains of SignupDomains, in lower case.
	SignupDomains []string `json:"signupDomains,omitempty"`
	// CreditLimit is that of a new workspace, and of each person on the platform's AI
	// provider, in USD.
	CreditLimit *float64 `json:"creditLimit,omitempty"`
	// Announcement is a notice to everybody.
	Announcement string `json:"announcement,omitempty"`
	// RequireMFA says that people may only use their account until they have a second factor.
	RequireMFA bool `json:"requireMfa,omitempty"`
	// RequireVerifiedEmail says that people may only use their account until they verify its address.
	RequireVerifiedEmail bool `json:"requireVerifiedEmail,omitempty"`
	// NoPasswords says that people sign in with identity providers and passkeys alone.
	NoPasswords bool `json:"noPasswords,omitempty"`
	// Quotas are those of workspaces that have none of their own.
	Quotas WorkspaceQuotas `json:"quotas,omitzero"`
}

// Limits of the settings of the installation.
const (
	MaxSignupDomains     = 100
	MaxAnnouncementChars = 500
)

// ParseSignupDomains returns domains in lower case, without duplicates. A name that is no domain
// has code CodeValidationFailed.
func ParseSignupDomains(names []string) ([]string, error) {
	if len(names) > MaxSignupDomains {
		return nil, Errorf(CodeValidationFailed, "signupDomains may have at most %d domains", MaxSignupDomains)
	}
	domains := []string{}
	for _, name := range names {
		email, err := NormalEmail("name@" + strings.TrimPrefix(strings.TrimSpace(name), "@"))
		if err != nil || !strings.Contains(email, ".") {
			return nil, Errorf(CodeValidationFailed, "signupDomains must be domains such as example.com")
		}
		if domain := EmailDomain(email); !slices.Contains(domains, domain) {
			domains = append(domains, domain)
		}
	}
	return domains, nil
}

// EmailDomain returns the part of a normal address behind the "@".
func EmailDomain(email string) string {
	_, domain, _ := strings.Cut(email, "@")
	return domain
}

// InstanceInvite invites the owner of an address to create an account. Like an Invite it has two
// links, of which only hashes are stored.
type InstanceInvite struct {
	ID        ID     `json:"id"`
	Email     string `json:"email"`
	InvitedBy ID     `json:"invitedBy"`
	CreatedAt Time   `json:"createdAt"`
	ExpiresAt Time   `json:"expiresAt"`

	// TokenHash is the hash of the mailed secret, LinkHash that of the one to pass on.
	TokenHash string `json:"-"`
	LinkHash  string `json:"-"`
}

// Person is an account as the admins of the installation see it.
type Person struct {
	User
	// LastSeenAt is when a session of theirs was last used, 0 if they have none.
	LastSeenAt Time
	// Workspaces is how many workspaces they are a member of.
	Workspaces int
	// SecondFactor says that their sign-ins take a second factor.
	SecondFactor bool
}

// WorkspaceUse is a workspace as the admins of the installation see it. It names no project.
type WorkspaceUse struct {
	Workspace
	// Owner is the address of the owner who has been one for longest, "" if there is none.
	Owner string
	// Projects includes deleted ones that can be restored, but no copies of tasks.
	Projects int
	Members  int
	// Bytes is the size of the present files of all projects, without their histories.
	Bytes int64
}
