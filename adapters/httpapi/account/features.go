package account

// Features tells the studio what this installation offers (contract, section 2).
type Features struct {
	OAuth        OAuthFeatures `json:"oauth"`
	Assistant    bool          `json:"assistant"`
	Mail         bool          `json:"mail"`
	Sandbox      bool          `json:"sandbox"`
	DemoProvider bool          `json:"demoProvider"`
	// PlatformProvider means that workspaces without a provider of their own use the
	// operator's.
	PlatformProvider bool `json:"platformProvider"`
}

// OAuthFeatures says with which providers people can sign in.
type OAuthFeatures struct {
	GitHub bool `json:"github"`
	Google bool `json:"google"`
}
