package bootstrap

import (
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"github.com/atelierhq/atelier/adapters/nameservers"
	"github.com/atelierhq/atelier/core/domains"
)

// registrable is the part of a host that one owner registers: what browsers call
// the site. A host without one is its own.
func registrable(host string) string {
	site, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return host
	}
	return site
}

// DomainRules say which names people may claim, and where these are to lead.
func DomainRules(s Settings) domains.Rules {
	app := strings.ToLower(hostOf(s.AppDomain))
	return domains.Rules{
		AppDomain: app,
		Own:       []string{strings.ToLower(s.AppURL.Hostname()), app, strings.ToLower(hostOf(s.PreviewDomain))},
		ToASCII:   idna.Lookup.ToASCII,
		IsPublicSuffix: func(name string) bool {
			suffix, _ := publicsuffix.PublicSuffix(name)
			return suffix == name
		},
	}
}

// NameServers looks up the names that people claim.
func NameServers(s Settings) *nameservers.Resolver {
	return nameservers.New(nameservers.Config{Trusted: s.DNSResolver, AllowPrivate: s.PrivateNetworks})
}
