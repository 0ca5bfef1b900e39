package bootstrap

import "golang.org/x/net/publicsuffix"

// registrable is the part of a host that one owner registers: what browsers call
// the site. A host without one is its own.
func registrable(host string) string {
	site, err := publicsuffix.EffectiveTLDPlusOne(host)
	if err != nil {
		return host
	}
	return site
}
