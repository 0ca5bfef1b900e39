package bootstrap

import (
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"github.com/atelierhq/atelier/adapters/nameservers"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/core/domains"
)

// DomainRules say which names people may claim, and where the names must lead.
func DomainRules(s settings.Settings) domains.Rules {
	app := strings.ToLower(settings.HostOf(s.AppDomain))
	return domains.Rules{
		AppDomain:      app,
		Own:            []string{strings.ToLower(s.AppURL.Hostname()), app, strings.ToLower(settings.HostOf(s.PreviewDomain))},
		ToASCII:        idna.Lookup.ToASCII,
		IsPublicSuffix: isPublicSuffix,
	}
}

// isPublicSuffix reports whether anybody can have a name below name.
func isPublicSuffix(name string) bool {
	suffix, _ := publicsuffix.PublicSuffix(name)
	return suffix == name
}

// NameServers looks up the names that people claim.
func NameServers(s settings.Settings) *nameservers.Resolver {
	return nameservers.New(nameservers.Config{Trusted: s.DNSResolver, AllowPrivate: s.PrivateNetworks})
}
