package core

// Invite asks somebody into a workspace. It has two links, of which either works, once:
// one is mailed, one is the inviter's to hand over. Only the hashes of their secrets are
// kept.
type Invite struct {
	ID    ID     `json:"id"`
	Email string `json:"email"`
	Role  Role   `json:"role"`
	// InvitedBy is the member who sent it.
	InvitedBy ID   `json:"invitedBy"`
	CreatedAt Time `json:"createdAt"`
	ExpiresAt Time `json:"expiresAt"`

	WorkspaceID ID `json:"-"`
	// TokenHash is of the mailed secret: who has it reads the address's mails. LinkHash
	// is of the other one, nil when nobody has asked for it.
	TokenHash string  `json:"-"`
	LinkHash  *string `json:"-"`
}

// Member is somebody in a workspace, as the others see them (contract, section
// 3).
type Member struct {
	UserID      ID      `json:"userId"`
	Email       string  `json:"email"`
	DisplayName *string `json:"displayName"`
	AvatarURL   *string `json:"avatarUrl"`
	Role        Role    `json:"role"`
	JoinedAt    Time    `json:"joinedAt"`
}

// Founded reports whether the member made the workspace. A personal workspace is
// its founder's for good. Whoever is invited joins later than it was made.
func (m Member) Founded(workspace Workspace) bool { return m.JoinedAt == workspace.CreatedAt }
