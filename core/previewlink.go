package core

import "time"

// LinkKind says what a PreviewLink shows.
type LinkKind string

// The kinds of links.
const (
	// LinkShare shows the project's present state to anyone with the link.
	LinkShare LinkKind = "share"
	// LinkVersion shows an earlier version, LinkDeployment the files of a deployment. Members look
	// at these.
	LinkVersion    LinkKind = "version"
	LinkDeployment LinkKind = "deployment"
)

// PreviewLink is an address that shows a project's pages, and nothing else of it, until it expires or
// is deleted.
type PreviewLink struct {
	ID        ID
	ProjectID ID
	Kind      LinkKind
	// Target is the version's or the deployment's id, "" for LinkShare.
	Target string
	// Name is its maker's name for it; it may be empty.
	Name      string
	CreatedBy ID
	CreatedAt Time
	ExpiresAt Time
}

// Bounds of links. MaxShareLinks is how many a project has at once, MaxLinkName the length of a name in
// characters. LookLifetime is how long members look at a version or a deployment.
const (
	MaxShareLinks    = 50
	MaxLinkName      = 100
	MinShareLifetime = time.Hour
	MaxShareLifetime = 90 * 24 * time.Hour
	LookLifetime     = 12 * time.Hour
)
