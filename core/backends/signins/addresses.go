package signins

import (
	"errors"
	"net/netip"
	"net/url"

	"github.com/atelierhq/atelier/core"
)

// checkAddresses checks the addresses of a provider. Some kinds have none of their own.
func (s *Service) checkAddresses(p core.SignInProvider, needed bool) error {
	for _, one := range []struct {
		member, address string
		needed          bool
	}{{"authURL", p.AuthURL, needed}, {"tokenURL", p.TokenURL, needed}, {"userInfoURL", p.UserInfoURL, needed}} {
		if one.address == "" && one.needed {
			return core.Errorf(core.CodeValidationFailed, "%s is needed for %s: copy it from the provider's documentation", one.member, p.Name)
		}
		if one.address == "" {
			continue
		}
		if err := s.checkAddress(one.member, one.address); err != nil {
			return err
		}
	}
	return nil
}

// checkAddress checks an address, at which secrets of people and of the application arrive.
func (s *Service) checkAddress(member, address string) error {
	at, err := url.Parse(address)
	if err != nil || at.Hostname() == "" || at.Scheme != "https" && (at.Scheme != "http" || !isLoopback(at.Hostname())) {
		return core.Errorf(core.CodeValidationFailed, "%s must be an address that begins with https://", member)
	}
	if at.Fragment != "" || at.User != nil {
		return core.Errorf(core.CodeValidationFailed, "%s must be an address without a user and without #", member)
	}
	err = s.deps.Guard.Check(address)
	if refused := new(core.Error); errors.As(err, &refused) {
		return core.Wrap(refused.Code, err, "%s: %s", member, refused.Message)
	}
	return err
}

// isLoopback reports whether a name is of this very machine, where no one listens in on HTTP.
// Whether it may be asked is the guard's to say.
func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
