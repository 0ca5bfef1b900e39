package core

// Invite invites somebody into a workspace. It has two links: one is mailed, the other
// is for the inviter to pass on. Either works, but only once. Only the hashes of their
// secrets are stored.
type Invite struct {
	ID    ID     `json:"id"`
	Email string `json:"email"`
	Role  Role   `json:"role"`
	// InvitedBy is the member who sent it.
	InvitedBy ID   `json:"invitedBy"`
	CreatedAt Time `json:"createdAt"`
	ExpiresAt Time `json:"expiresAt"`

	WorkspaceID ID `json:"-"`
	// TokenHash is the hash of the mailed secret, which proves that its holder reads
	// the address's mail. LinkHash is that of the other one, nil if nobody has asked
	// for it.
	TokenHash string  `json:"-"`
	LinkHash  *string `json:"-"`
}

// Member is a member of a workspace as the others see them.
type Member struct {
	UserID      ID      `json:"userId"`
	Email       string  `json:"email"`
	DisplayName *string `json:"displayName"`
	AvatarURL   *string `json:"avatarUrl"`
	Role        Role    `json:"role"`
	JoinedAt    Time    `json:"joinedAt"`
	// SecondFactor says whether the member has a second factor. Only admins are told: nil for others.
	SecondFactor *bool `json:"secondFactor,omitempty"`
}

// Founded reports whether the member created the workspace: invited members join later
// than it was created. A personal workspace belongs to its founder permanently.
func (m Member) Founded(workspace Workspace) bool { return m.JoinedAt == workspace.CreatedAt }
