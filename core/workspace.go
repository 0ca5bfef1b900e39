package core

import (
	"strings"
	"unicode/utf8"
)

// Role is a member's rank in a workspace. Roles are ordered: each includes the
// ones before it.
type Role string

// The roles of a workspace, the least first. RoleNone is not a member.
const (
	RoleNone   Role = ""
	RoleMember Role = "member"
	RoleAdmin  Role = "admin"
	RoleOwner  Role = "owner"
)

// AtLeast reports whether r may do what least may.
func (r Role) AtLeast(least Role) bool { return r.rank() >= least.rank() }

// ParseRole returns CodeValidationFailed for any word that is not a role.
func ParseRole(text string) (Role, error) {
	switch role := Role(text); role {
	case RoleMember, RoleAdmin, RoleOwner:
		return role, nil
	}
	return RoleNone, Errorf(CodeValidationFailed, "role must be member, admin or owner")
}

func (r Role) rank() int {
	switch r {
	case RoleMember:
		return 1
	case RoleAdmin:
		return 2
	case RoleOwner:
		return 3
	}
	return 0
}

// Standing is a person's position in a workspace.
type Standing struct {
	// Role is RoleNone for a person who is not a member.
	Role Role
	// LacksFactor says that the workspace requires a second factor of its members, and that this
	// member has none.
	LacksFactor bool
}

// CheckFactor returns CodeMFASetupRequired for a person who lacks the second factor. Programs of
// theirs go on, as does what the service does for them.
func (s Standing) CheckFactor(actor Actor) error {
	if !s.LacksFactor || actor.Token || actor.Unattended {
		return nil
	}
	return Errorf(CodeMFASetupRequired, "this workspace requires two-step verification: turn it on in your account settings first")
}

// Workspace holds the projects of a team or of one person.
type Workspace struct {
	ID       ID     `json:"id"`
	Name     string `json:"name"`
	Slug     string `json:"slug"`
	Personal bool   `json:"personal"`
	// CreditLimit is in USD; nil is unlimited.
	CreditLimit *float64 `json:"creditLimit"`
	// CreditUsed is in USD and only grows.
	CreditUsed float64 `json:"creditUsed"`
	// CommandHosts are the hosts that the agent's commands may reach.
	CommandHosts HostPatterns `json:"commandHosts"`
	// RequireMFA says that members without a second factor may not use the workspace.
	RequireMFA bool `json:"requireMfa"`
	// LivePublish is the role that a member needs to publish what changes functions or rules, and so may
	// change live data: RoleMember or RoleAdmin.
	LivePublish Role `json:"livePublish"`
	CreatedAt   Time `json:"createdAt"`
	UpdatedAt   Time `json:"updatedAt"`

	// CreditCap, in USD, is what an admin of the installation gave to the workspace: CreditLimit
	// never exceeds it, and calls of the platform's provider are charged to no person. nil leaves
	// these calls to the limits of persons.
	CreditCap *float64 `json:"-"`
	// Quotas are those that an admin of the installation gave to the workspace.
	Quotas WorkspaceQuotas `json:"-"`

	// Knowledge is the text for the agent in all projects of the workspace. Lists of workspaces
	// leave it out: it may have MaxKnowledgeBytes.
	Knowledge string `json:"-"`

	// MembersVersion grows with every change of membership. Preview addresses
	// depend on it.
	MembersVersion int `json:"-"`
}

// MaxKnowledgeBytes bounds the knowledge of a workspace, in bytes of UTF-8: each run of the agent
// pays for it.
const MaxKnowledgeBytes = 16 << 10

// CheckKnowledge returns CodeValidationFailed for a text that is too long or cannot be stored.
func CheckKnowledge(text string) error {
	if len(text) > MaxKnowledgeBytes || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return Errorf(CodeValidationFailed, "text must have at most %d bytes, without NUL characters: it has %d", MaxKnowledgeBytes, len(text))
	}
	return nil
}

// NewWorkspace returns a workspace with a fresh id. Its slug is that of the name
// plus the end of the id, so that two workspaces of one name differ. name is one
// that CheckName accepted, or part of an address; it is cut to
// MaxWorkspaceNameChars.
func NewWorkspace(name string, personal bool, creditLimit *float64, at Time) Workspace {
	id := NewID()
	suffix := string(id[len(id)-8:])
	if chars := []rune(name); len(chars) > MaxWorkspaceNameChars {
		name = string(chars[:MaxWorkspaceNameChars])
	}
	stem := strings.TrimRight(cutTo(Slugify(name), maxSlugChars-len(suffix)-1), "-")
	return Workspace{
		ID: id, Name: name, Slug: stem + "-" + suffix, Personal: personal,
		CreditLimit: creditLimit, LivePublish: RoleMember, CreatedAt: at, UpdatedAt: at,
	}
}

// Membership joins a user to a workspace.
type Membership struct {
	WorkspaceID ID
	UserID      ID
	Role        Role
	JoinedAt    Time
}

// JoinedWorkspace is a workspace with the membership of one of its members.
type JoinedWorkspace struct {
	Workspace
	Role     Role
	JoinedAt Time
}

// IsOwn reports whether it is the personal workspace that the member made.
func (w JoinedWorkspace) IsOwn() bool {
	return w.Personal && Member{JoinedAt: w.JoinedAt}.Founded(w.Workspace)
}

// MaxWorkspaceNameChars bounds the name of a workspace.
const MaxWorkspaceNameChars = 100

// Folder groups the projects of a workspace.
type Folder struct {
	ID          ID     `json:"id"`
	WorkspaceID ID     `json:"workspaceId"`
	ParentID    *ID    `json:"parentId"`
	Name        string `json:"name"`
	CreatedAt   Time   `json:"createdAt"`
	UpdatedAt   Time   `json:"updatedAt"`
}
