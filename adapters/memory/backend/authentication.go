package backend

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/adapters/memory/backend/records"
	"github.com/atelierhq/atelier/adapters/memory/backend/values"
	port "github.com/atelierhq/atelier/ports/backend"
)

// authentication is an auth collection into which a request signs in.
type authentication struct {
	*request
	c *records.Collection
}

// answer carries out an action such as auth-with-password.
func (a authentication) answer(ctx context.Context, action string) (any, error) {
	if a.c.Type != port.Auth {
		return nil, errMissing()
	}
	switch action {
	case "auth-methods":
		return a.methods(ctx)
	case "auth-with-password":
		return a.withPassword()
	case "auth-refresh":
		if !a.Auth.Exists() || a.Auth.Collection.ID != a.c.ID {
			return nil, errNoUser()
		}
		return a.signedIn(a.Auth)
	case "auth-with-otp":
		return a.withOTP()
	case "request-otp":
		return a.requestOTP()
	case "auth-with-oauth2":
		return a.withOAuth(ctx)
	}
	return nil, confirmation(a).answer(action)
}

// signedIn answers with a token for a user, if the collection's rule lets them in.
func (a authentication) signedIn(who records.Row) (any, error) {
	rule := who.Collection.Auth.AuthRule
	if rule == nil {
		return nil, refusal(http.StatusForbidden, "Nobody can sign in here.")
	}
	as := *a.request
	as.Auth = who
	if may, err := as.allowed(rule, who); err != nil || !may {
		return nil, refusal(http.StatusForbidden, "You may not sign in here.")
	}
	return map[string]any{"token": sign(a.state, who, claims{Type: tokenAuth}, authTokenTime), "record": presenter{&as}.present(who)}, nil
}

// methods says how users can sign in.
func (a authentication) methods(ctx context.Context) (any, error) {
	options := a.c.Auth
	providers, err := a.providers(ctx)
	return map[string]any{
		"password": map[string]any{"enabled": options.PasswordAuth.Enabled, "identityFields": options.PasswordAuth.IdentityFields},
		"otp":      map[string]any{"enabled": options.OTP.Enabled, "duration": options.OTP.Duration},
		"oauth2":   offers(providers),
		"mfa":      map[string]any{"enabled": false, "duration": 0},
	}, err
}

// withPassword signs in a user by a name or an address, and a password.
func (a authentication) withPassword() (any, error) {
	options := a.c.Auth.PasswordAuth
	if !options.Enabled {
		return nil, refusal(http.StatusForbidden, "The collection is not configured to allow password authentication.")
	}
	identity, password := a.text("identity"), a.text("password")
	if identity == "" || password == "" {
		return nil, flawed(map[string]*records.Flaw{"identity": records.FlawRequired, "password": records.FlawRequired})
	}
	fields := options.IdentityFields
	if wanted := a.text("identityField"); wanted != "" {
		fields = slices.DeleteFunc(slices.Clone(fields), func(name string) bool { return name != wanted })
	}
	for _, name := range fields {
		f := a.c.ByName(name)
		if f == nil {
			continue
		}
		for _, one := range a.state.Rows(a.c) {
			if strings.EqualFold(values.Text(one.Get(f)), identity) && samePassword(one.Text("password"), password) {
				return a.signedIn(one)
			}
		}
	}
	return nil, refusal(http.StatusBadRequest, "Failed to authenticate.")
}

// byEmail finds the user of a collection with an address.
func byEmail(s *records.State, c *records.Collection, email string) (records.Row, bool) {
	for _, one := range s.Rows(c) {
		if email != "" && strings.EqualFold(one.Text("email"), email) {
			return one, true
		}
	}
	return records.Row{}, false
}

// findUser finds a user by the address, in the only auth collection if none is named.
func findUser(s *records.State, as port.Identity) (records.Row, bool) {
	var only *records.Collection
	for _, c := range s.Collections {
		if c.Type != port.Auth || as.Collection != "" && as.Collection != c.Name && as.Collection != c.ID {
			continue
		}
		if only != nil {
			return records.Row{}, false
		}
		only = c
	}
	if only == nil {
		return records.Row{}, false
	}
	return byEmail(s, only, as.Email)
}
