package account

// Features tells the studio what this installation has (contract, section 2).
type Features struct {
	OAuth        OAuthFeatures `json:"oauth"`
	Assistant    bool          `json:"assistant"`
	Mail         bool          `json:"mail"`
	Sandbox      bool          `json:"sandbox"`
	DemoProvider bool          `json:"demoProvider"`
	// PlatformProvider says that workspaces without a provider of their own have the
	// operator's.
	PlatformProvider bool `json:"platformProvider"`
}

// OAuthFeatures tells which providers one can sign in with.
type OAuthFeatures struct {
	GitHub bool `json:"github"`
	Google bool `json:"google"`
}
