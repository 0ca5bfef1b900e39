package core

// Invite asks somebody into a workspace. The token in its link works once; only
// its hash is kept.
type Invite struct {
	ID    ID     `json:"id"`
	Email string `json:"email"`
	Role  Role   `json:"role"`
	// InvitedBy is the member who sent it.
	InvitedBy ID   `json:"invitedBy"`
	CreatedAt Time `json:"createdAt"`
	ExpiresAt Time `json:"expiresAt"`

	WorkspaceID ID     `json:"-"`
	TokenHash   string `json:"-"`
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
