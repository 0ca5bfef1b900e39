package projects

import (
	"net"
	"net/url"
	"time"

	"github.com/atelierhq/atelier/core"
)

// View is a project as clients see it.
type View struct {
	core.Project
	// PurgeAt is when a deleted project is purged, nil if it stays.
	PurgeAt *core.Time `json:"purgeAt"`
	// URL is the address of the live site, under its custom domain if one is active;
	// nil if there is no live site.
	URL *string `json:"url"`
}

// Views shows projects as clients see them.
type Views struct {
	address   Address
	retention Retention
}

// Present returns the project as clients see it. A site is live while it is
// published and its project is not deleted.
func (v *Views) Present(project core.Project) View {
	shown := View{Project: project, PurgeAt: v.purgeAt(project)}
	if project.DeletedAt == nil {
		shown.URL = v.address.Of(project)
	}
	return shown
}

// purgeAt is when a project is due to be purged.
func (v *Views) purgeAt(project core.Project) *core.Time {
	if project.DeletedAt == nil || v.retention <= 0 {
		return nil
	}
	at := project.DeletedAt.Add(time.Duration(v.retention))
	return &at
}

// Address returns the URL of the site that is published under slug.
type Address func(slug string) string

// Of returns the URL of a project's site: with its custom domain if one is active, and
// with the scheme and the port of all sites. It is nil for a project that is not
// published.
func (a Address) Of(project core.Project) *string {
	if project.PublishedSlug == nil {
		return nil
	}
	address := a(*project.PublishedSlug)
	if project.CustomDomain == nil {
		return &address
	}
	site, err := url.Parse(address)
	if err != nil {
		return &address
	}
	host := *project.CustomDomain
	if port := site.Port(); port != "" {
		host = net.JoinHostPort(host, port)
	}
	site.Host = host
	named := site.String()
	return &named
}
