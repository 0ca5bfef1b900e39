package sitehost

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Naming classifies a host name.
type Naming int

// The kinds of names.
const (
	// NameUnknown is not served here.
	NameUnknown Naming = iota
	// NameApp is the API's own name.
	NameApp
	// NameSite is a published site's name, by its slug.
	NameSite
	// NameDomain is a custom domain that a project holds.
	NameDomain
	// NamePreview is a preview's.
	NamePreview
)

// Naming classifies a name for callers that decide about certificates. It takes at most
// one look-up.
func (h *Handler) Naming(ctx context.Context, name string) (Naming, error) {
	if hostname(name) == h.hosts.app {
		return NameApp, nil
	}
	at := h.hosts.find(name)
	kind, err := NameUnknown, error(nil)
	switch {
	case at.kind == hostSite && at.label != "":
		kind = NameSite
		_, err = h.published.sites.Site(ctx, at.label)
	case at.kind == hostPreview && at.label != "":
		kind = NamePreview
		_, err = h.previews.previews.Resolve(ctx, at.label)
	case at.kind == hostForeign:
		kind = NameDomain
		_, err = h.published.sites.SiteAt(ctx, at.label)
	}
	if core.IsCode(err, core.CodeNotFound) {
		return NameUnknown, nil
	}
	if err != nil {
		return NameUnknown, err
	}
	return kind, nil
}
