package sitehost

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Naming is what a host name is to the service.
type Naming int

// The kinds of names.
const (
	// NameUnknown is nothing to it.
	NameUnknown Naming = iota
	// NameApp is the API's own.
	NameApp
	// NameSite is a published site's, by its slug.
	NameSite
	// NameDomain is one of people's own that a project holds.
	NameDomain
	// NamePreview is a preview's.
	NamePreview
)

// Naming tells what a name is, for whoever decides about certificates. It costs a
// look-up at most.
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
