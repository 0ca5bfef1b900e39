package backend

import (
	"net/http"
	"slices"
	"strings"

	port "github.com/atelierhq/atelier/ports/backend"
)

// signedIn answers with a token for a user, if the collection's rule lets them in.
func (r *request) signedIn(who row) (any, error) {
	rule := who.collection.auth.AuthRule
	if rule == nil {
		return nil, refusal(http.StatusForbidden, "Nobody can sign in here.")
	}
	as := *r
	as.auth = who
	if may, err := as.allowed(rule, who); err != nil || !may {
		return nil, refusal(http.StatusForbidden, "You may not sign in here.")
	}
	return map[string]any{"token": r.state.sign(who, claims{Type: tokenAuth}, authTokenTime), "record": as.present(who)}, nil
}

// authenticate answers the requests of an auth collection.
func (r *request) authenticate(c *collection, action string) (any, error) {
	if c.Type != port.Auth {
		return nil, errMissing()
	}
	switch action {
	case "auth-methods":
		return r.authMethods(c), nil
	case "auth-with-password":
		return r.authWithPassword(c)
	case "auth-refresh":
		if r.auth.record == nil || r.auth.collection.ID != c.ID {
			return nil, refusal(http.StatusUnauthorized, "The request requires valid record authorization token.")
		}
		return r.signedIn(r.auth)
	case "auth-with-otp":
		return r.authWithOTP(c)
	case "request-otp":
		return r.requestOTP(c)
	case "auth-with-oauth2":
		return nil, refusal(http.StatusForbidden, "The collection is not configured to allow OAuth2 authentication.")
	}
	return nil, r.confirm(c, action)
}

func (r *request) authMethods(c *collection) any {
	fields := c.auth.PasswordAuth.IdentityFields
	return map[string]any{
		"password": map[string]any{"enabled": c.auth.PasswordAuth.Enabled, "identityFields": fields},
		"otp":      map[string]any{"enabled": c.auth.OTP.Enabled, "duration": c.auth.OTP.Duration},
		"oauth2":   map[string]any{"enabled": false, "providers": []any{}},
		"mfa":      map[string]any{"enabled": false, "duration": 0},
	}
}

func (r *request) authWithPassword(c *collection) (any, error) {
	if !c.auth.PasswordAuth.Enabled {
		return nil, refusal(http.StatusForbidden, "The collection is not configured to allow password authentication.")
	}
	identity, password := r.text("identity"), r.text("password")
	if identity == "" || password == "" {
		return nil, flawed("An error occurred while validating the submitted data.", map[string]*flaw{"identity": flawRequired, "password": flawRequired})
	}
	fields := c.auth.PasswordAuth.IdentityFields
	if wanted := r.text("identityField"); wanted != "" {
		fields = slices.DeleteFunc(slices.Clone(fields), func(name string) bool { return name != wanted })
	}
	for _, name := range fields {
		f := c.byName(name)
		if f == nil {
			continue
		}
		for _, one := range r.state.rows(c) {
			if strings.EqualFold(textOf(one.get(f)), identity) && samePassword(one.text("password"), password) {
				return r.signedIn(one)
			}
		}
	}
	return nil, refusal(http.StatusBadRequest, "Failed to authenticate.")
}

// byEmail finds the user with an address.
func (s *state) byEmail(c *collection, email string) (row, bool) {
	for _, one := range s.rows(c) {
		if email != "" && strings.EqualFold(one.text("email"), email) {
			return one, true
		}
	}
	return row{}, false
}

// identify finds out on whose behalf a request is.
func (r *request) identify(as port.Identity, token string) error {
	switch {
	case as.Owner:
		r.owner = true
	case as.Email != "":
		who, ok := r.state.endUser(as)
		if !ok {
			return refusal(http.StatusNotFound, "There is no such user.")
		}
		r.auth = who
	default:
		token = strings.TrimPrefix(token, "Bearer ")
		if _, who, ok := r.state.verify(token, tokenAuth); ok {
			r.auth = who
		}
	}
	return nil
}

// endUser finds a user by the address, in the only auth collection if none is named.
func (s *state) endUser(as port.Identity) (row, bool) {
	var only *collection
	for _, c := range s.collections {
		if c.Type != port.Auth || as.Collection != "" && as.Collection != c.Name && as.Collection != c.ID {
			continue
		}
		if only != nil {
			return row{}, false
		}
		only = c
	}
	if only == nil {
		return row{}, false
	}
	return s.byEmail(only, as.Email)
}
