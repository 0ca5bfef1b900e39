package account

import "context"

// Platform knows whether workspaces without an AI provider have the platform's;
// models.Chooser implements it.
type Platform interface {
	HasPlatform(ctx context.Context) (bool, error)
}

// Features tells the studio what this installation offers.
type Features struct {
	OAuth        OAuthFeatures `json:"oauth"`
	Assistant    bool          `json:"assistant"`
	Mail         bool          `json:"mail"`
	Sandbox      bool          `json:"sandbox"`
	DemoProvider bool          `json:"demoProvider"`
	// PlatformProvider means that workspaces without a provider of their own use the
	// operator's. Admins of the installation add some while it runs: Me asks Platform.
	PlatformProvider bool `json:"platformProvider"`
}

// OAuthFeatures says with which providers people can sign in.
type OAuthFeatures struct {
	GitHub bool `json:"github"`
	Google bool `json:"google"`
}
