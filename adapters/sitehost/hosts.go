package sitehost

import (
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// hosts are the domains that names are told apart by, without ports.
type hosts struct{ app, sites, previews string }

type hostKind int

const (
	// hostOther is not for this package to answer.
	hostOther hostKind = iota
	hostSite
	hostPreview
	// hostForeign may be one of people's own: neither the service's nor an address. What
	// is no name costs no look-up.
	hostForeign
)

// place is where a host name leads: its label below the domain, "" for a name that
// cannot have one; a foreign name is its own label.
type place struct {
	kind  hostKind
	label string
}

// find tells what a request's host is. The more specific of two domains wins, and
// the API's own name is always its own.
func (h hosts) find(host string) place {
	name := hostname(host)
	if name == h.app {
		return place{}
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

// hostname is a request's host in lower case, without port and without the dots
// that may end a full name. It is empty where the port is not valid: that is nobody's host.
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

// portOf is a domain's port with its colon, "" where it has none.
func portOf(domain string) string {
	if _, port, found := strings.Cut(domain, ":"); found {
		return ":" + port
	}
	return ""
}

// labelBelow reports whether name is domain or lies below it. The label is "" but
// for a name exactly one label longer, all of whose characters a label may have.
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
