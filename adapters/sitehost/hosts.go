package sitehost

import (
	"context"
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// hosts holds the domains by which names are classified, without ports.
type hosts struct{ app, sites, previews string }

// hostKind is the kind of a host. The zero kind is not this package's to answer.
type hostKind int

const (
	// hostApp is the API's own.
	hostApp hostKind = iota + 1
	hostSite
	hostPreview
	// hostForeign may be a custom domain: neither a name of the service nor an IP address.
	// Invalid names cost no look-up.
	hostForeign
)

// place is the classification of a host name. label is its label below the domain, "" if
// the name cannot have one; the label of a foreign name is the whole name.
type place struct {
	kind  hostKind
	label string
}

// find classifies a request's host. The more specific of two domains wins, and the API's
// own name is never a site's.
func (h hosts) find(host string) place {
	name := hostname(host)
	if name == h.app {
		return place{kind: hostApp}
	}
	site, isSite := labelBelow(name, h.sites)
	preview, isPreview := labelBelow(name, h.previews)
	switch {
	case isPreview && (!isSite || len(h.previews) > len(h.sites)):
		return place{hostPreview, preview}
	case isSite:
		return place{hostSite, site}
	}
	if _, err := core.ParseDomain(name); err != nil {
		return place{}
	}
	return place{hostForeign, name}
}

// hostname returns a request's host in lower case, without port and trailing dots. It
// returns "" if the port is invalid.
func hostname(host string) string {
	if !strings.HasPrefix(host, "[") {
		var port string
		host, port, _ = strings.Cut(host, ":")
		if _, err := strconv.ParseUint(port, 10, 16); err != nil && port != "" {
			return ""
		}
	}
	return strings.ToLower(strings.TrimRight(host, "."))
}

// portOf returns a domain's port with its colon, "" if it has none.
func portOf(domain string) string {
	if _, port, found := strings.Cut(domain, ":"); found {
		return ":" + port
	}
	return ""
}

// labelBelow reports whether name is domain or lies below it. The label is "" unless name
// is exactly one valid label longer.
func labelBelow(name, domain string) (label string, below bool) {
	if domain == "" {
		return "", false
	}
	if name == domain {
		return "", true
	}
	label, below = strings.CutSuffix(name, "."+domain)
	if !below || strings.ContainsFunc(label, isNotInLabel) {
		return "", below
	}
	return label, true
}

func isNotInLabel(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-'
}

// HostKind classifies a host name.
type HostKind int

// The kinds of names.
const (
	// NameUnknown is not served here.
	NameUnknown HostKind = iota
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
// two look-ups.
func (h *Handler) Naming(ctx context.Context, name string) (HostKind, error) {
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
		if _, err = h.previews.previews.Resolve(ctx, at.label); core.IsCode(err, core.CodeNotFound) {
			err = h.looks.find(ctx, at.label)
		}
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
