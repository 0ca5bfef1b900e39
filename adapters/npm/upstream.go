package npm

import (
	"net/url"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// Source is a registry and its credentials.
type Source struct {
	// URL is the registry's http or https address.
	URL string
	// Token, if not empty, is sent as a bearer token to the host of URL only.
	Token string
}

// upstream is a registry that the operator configured.
type upstream struct {
	base  *url.URL
	token string
}

// upstreams are all configured registries: the default one, and those of single scopes.
type upstreams struct {
	main   *upstream
	scopes map[string]*upstream // by "@scope"
}

// newUpstreams has code core.CodeValidationFailed if an address is invalid.
func newUpstreams(main Source, scopes map[string]Source) (upstreams, error) {
	if main.URL == "" {
		main.URL = DefaultRegistry
	}
	first, err := newUpstream(main)
	all := upstreams{first, make(map[string]*upstream, len(scopes))}
	for scope, source := range scopes {
		if err == nil {
			all.scopes[scope], err = newUpstream(source)
		}
	}
	return all, err
}

func newUpstream(source Source) (*upstream, error) {
	base, err := url.Parse(strings.TrimSuffix(source.URL, "/"))
	if err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https" {
		return nil, core.Errorf(core.CodeValidationFailed, "the package registry must be an http or https URL")
	}
	return &upstream{base, source.Token}, nil
}

// of returns the registry of a package.
func (u *upstreams) of(name string) *upstream {
	scope, _, _ := strings.Cut(name, "/")
	if own, found := u.scopes[scope]; found {
		return own
	}
	return u.main
}

// own reports whether an address is on the host of a configured registry.
func (u *upstreams) own(target *url.URL) bool {
	if u.main.owns(target) {
		return true
	}
	for _, other := range u.scopes {
		if other.owns(target) {
			return true
		}
	}
	return false
}

// owns reports whether an address is on the registry's host.
func (u *upstream) owns(target *url.URL) bool { return originOf(u.base) == originOf(target) }

// packumentURL returns the address of a package's packument.
func (u *upstream) packumentURL(name string) string {
	return u.base.String() + "/" + strings.Replace(name, "/", "%2f", 1)
}

// tarballURL parses an archive's address. Addresses of the public registry are rewritten
// to the configured one, as npm does: mirrors serve packuments unchanged.
func (u *upstream) tarballURL(address string) (string, error) {
	target, err := url.Parse(address)
	if err != nil || target.Scheme != "http" && target.Scheme != "https" || target.Host == "" || target.User != nil {
		return "", core.Errorf(core.CodeUnavailable, "the package registry gave an archive address that is not valid: %s", quoted(address))
	}
	if target.Host == "registry.npmjs.org" && u.base.Host != target.Host {
		target.Scheme, target.Host = u.base.Scheme, u.base.Host
		target.Path = strings.TrimSuffix(u.base.Path, "/") + target.Path
	}
	return target.String(), nil
}

// originOf returns the scheme and host of an address.
func originOf(address *url.URL) string {
	port := address.Port()
	switch {
	case port != "":
	case address.Scheme == "https":
		port = "443"
	default:
		port = "80"
	}
	return address.Scheme + "://" + strings.ToLower(address.Hostname()) + ":" + port
}
