package companysignin_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/accounts"
	"github.com/atelierhq/atelier/core/companysignin"
	"github.com/atelierhq/atelier/ports/oauth"
)

// unsaid is a person about whose address the issuer says nothing, denied one whose address it calls
// unverified.
func unsaid(email string) oauth.Statement {
	who := person(email)
	who.EmailVerified = false
	return who
}

func denied(email string) oauth.Statement {
	who := unsaid(email)
	who.EmailDenied = true
	return who
}

func TestAddressesAreBelievedAtTheDomainsAlone(t *testing.T) {
	for name, c := range map[string]struct {
		domains []string
		who     oauth.Statement
		// account is there before: "" none, or an address; verified says so of it.
		account  string
		verified bool
		want     core.Code
	}{
		"a verified address gets an account":                   {nil, person("ada@x.example"), "", false, ""},
		"an address of which nothing is said gets none":        {nil, unsaid("ada@x.example"), "", false, core.CodeEmailUnverified},
		"but one at a domain":                                  {[]string{"x.example"}, unsaid("ada@x.example"), "", false, ""},
		"unless it is called unverified":                       {[]string{"x.example"}, denied("ada@x.example"), "", false, core.CodeEmailUnverified},
		"elsewhere nobody":                                     {[]string{"x.example"}, person("ada@y.example"), "", false, core.CodeEmailDomain},
		"below the domain nobody":                              {[]string{"x.example"}, person("ada@a.x.example"), "", false, core.CodeEmailDomain},
		"without an address nobody":                            {nil, person(""), "", false, core.CodeNoEmail},
		"without an address nobody at a domain":                {[]string{"x.example"}, person(""), "", false, core.CodeNoEmail},
		"somebody else's account is not taken over":            {nil, person("ada@x.example"), "ada@x.example", true, core.CodeEmailDomain},
		"one at a domain is joined":                            {[]string{"x.example"}, person("Ada@X.example"), "ada@x.example", true, ""},
		"one at a domain is not, if the address is unverified": {[]string{"x.example"}, denied("ada@x.example"), "ada@x.example", true, core.CodeEmailUnverified},
		"one that nobody proved is taken from who made it":     {nil, person("ada@x.example"), "ada@x.example", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, core.SignupOpen)
			h.provider(at(c.domains...))
			var before core.User
			if c.account != "" {
				before = h.signUp(c.account)
			}
			if c.verified {
				h.verify(before)
			}
			outcome, err := h.arrive("acme", c.who)
			h.wantCode("the sign-in", err, c.want)
			if c.account == "" || c.want != "" {
				return
			}
			if outcome.Session.User.ID != before.ID {
				t.Errorf("got the account %s, want %s", outcome.Session.User.ID, before.ID)
			}
			_, err = h.Accounts.SignIn(t.Context(), from, c.account, password)
			if c.verified {
				h.must(err)
			} else {
				h.wantCode("the password from before", err, core.CodeInvalidCredentials)
			}
		})
	}
}

func TestThePolicyForNewcomers(t *testing.T) {
	for policy, want := range map[core.SignupPolicy]core.Code{core.SignupOpen: "", core.SignupInvite: "", core.SignupClosed: core.CodeSignupClosed} {
		h := newHouse(t, policy)
		h.provider()
		_, err := h.arrive("acme", person("ada@x.example"))
		h.wantCode(string(policy), err, want)
	}
}

func TestReturnsThatProveNothing(t *testing.T) {
	h := newHouse(t, core.SignupOpen)
	h.provider()
	h.provider(func(i *companysignin.Input) { i.Slug, i.Issuer = new("other"), new("https://other.example") })
	ada := person("ada@x.example")
	h.issuers.AddPerson(issuer, ada)
	h.issuers.AddPerson("https://other.example", ada)
	for name, c := range map[string]struct {
		slug  string
		alter func(*accounts.OAuthCallback)
		want  core.Code
	}{
		"another state":              {"acme", func(b *accounts.OAuthCallback) { b.State = core.NewSecret() }, core.CodeInvalidState},
		"no cookie":                  {"acme", func(b *accounts.OAuthCallback) { b.Sealed = "" }, core.CodeInvalidState},
		"another provider's route":   {"other", func(*accounts.OAuthCallback) {}, core.CodeInvalidState},
		"a route of nobody":          {"nobody", func(*accounts.OAuthCallback) {}, core.CodeProviderNotConfigured},
		"another issuer":             {"acme", func(b *accounts.OAuthCallback) { b.Issuer = "https://other.example" }, core.CodeInvalidCredentials},
		"a code of another attempt":  {"acme", func(b *accounts.OAuthCallback) { b.Code = h.code(ada) }, core.CodeInvalidCredentials},
		"no code":                    {"acme", func(b *accounts.OAuthCallback) { b.Code = "" }, core.CodeInvalidCredentials},
		"somebody who refused there": {"acme", func(b *accounts.OAuthCallback) { b.Error = "access_denied" }, core.CodeAccessDenied},
		"too late":                   {"acme", func(*accounts.OAuthCallback) { h.now = h.now.Add(accounts.AttemptLifetime) }, core.CodeInvalidState},
	} {
		begun, err := h.Begin(t.Context(), "acme", "/next")
		h.must(err)
		address, err := h.issuers.Approve(begun.Address, ada.Subject)
		h.must(err)
		back := h.callback(begun, address)
		c.alter(&back)
		_, err = h.Finish(t.Context(), from, c.slug, back)
		h.wantCode(name, err, c.want)
	}
	begun, err := h.Begin(t.Context(), "acme", "/next")
	h.must(err)
	address, err := h.issuers.Approve(begun.Address, ada.Subject)
	h.must(err)
	outcome, err := h.Finish(t.Context(), from, "acme", h.callback(begun, address))
	if err != nil || outcome.Next != "/next" {
		t.Errorf("got %+v, %v, want the path", outcome, err)
	}
	_, err = h.Finish(t.Context(), from, "acme", h.callback(begun, address))
	h.wantCode("the same state again", err, core.CodeInvalidState)
}

// code is one that the issuer gave in another attempt.
func (h *house) code(who oauth.Statement) string {
	begun, err := h.Begin(h.t.Context(), "acme", "/next")
	h.must(err)
	address, err := h.issuers.Approve(begun.Address, who.Subject)
	h.must(err)
	return h.callback(begun, address).Code
}

func TestAnotherIssuerHasOtherPeople(t *testing.T) {
	h := newHouse(t, core.SignupOpen)
	view := h.provider()
	first, err := h.arrive("acme", person("ada@x.example"))
	h.must(err)
	begun, err := h.Begin(t.Context(), "acme", "/next")
	h.must(err)
	address, err := h.issuers.Approve(begun.Address, person("ada@x.example").Subject)
	h.must(err)
	h.now = h.now.Add(time.Second)
	_, err = h.Update(t.Context(), h.admin, view.ID, companysignin.Input{Issuer: new("https://evil.example")})
	h.wantCode("another issuer with the secret of the first", err, core.CodeValidationFailed)
	_, err = h.Update(t.Context(), h.admin, view.ID, companysignin.Input{Issuer: new("https://evil.example"), ClientSecret: new("other")})
	h.must(err)
	_, err = h.Finish(t.Context(), from, "acme", h.callback(begun, address))
	h.wantCode("an attempt from before", err, core.CodeInvalidState)
	same := person("eve@x.example")
	same.Subject = person("ada@x.example").Subject
	second, err := h.arrive("acme", same)
	if err != nil || second.Session.User.ID == first.Session.User.ID {
		t.Errorf("got %+v, %v, want another account for the same subject", second.Session.User, err)
	}
	h.must(h.Delete(t.Context(), h.admin, view.ID))
	left, err := h.store.Tables().Identities.OfUser(t.Context(), second.Session.User.ID)
	if err != nil || len(left) != 0 {
		t.Errorf("got %v, %v, want no identities of a provider that is gone", left, err)
	}
}

func TestOnlyTheCompanyLetsItsPeopleIn(t *testing.T) {
	h := newHouse(t, core.SignupOpen)
	bob := h.signUp("bob@acme.example")
	h.verify(bob)
	h.provider(at("acme.example"), func(i *companysignin.Input) { i.Only = new(true) })
	h.provider(at("acme.example"), func(i *companysignin.Input) { i.Slug, i.Issuer = new("other"), new("https://other.example") })
	h.issuers.AddPerson("https://other.example", person("bob@acme.example"))
	for name, try := range map[string]func() error{
		"the right password": func() error { _, err := h.Accounts.SignIn(t.Context(), from, "bob@acme.example", password); return err },
		"a wrong password":   func() error { _, err := h.Accounts.SignIn(t.Context(), from, "bob@acme.example", "x"); return err },
		"an unknown address": func() error { _, err := h.Accounts.SignIn(t.Context(), from, "eve@acme.example", "x"); return err },
		"an admin's, wrong":  func() error { _, err := h.Accounts.SignIn(t.Context(), from, "admin@acme.example", "x"); return err },
		"another company":    func() error { _, err := h.arrive("other", person("bob@acme.example")); return err },
		"a sign-up": func() error {
			_, _, err := h.Accounts.SignUp(t.Context(), from, accounts.NewAccount{Email: "eve@acme.example", Password: password})
			return err
		},
		"a sign-up for an address in use": func() error {
			_, _, err := h.Accounts.SignUp(t.Context(), from, accounts.NewAccount{Email: "bob@acme.example", Password: password})
			return err
		},
	} {
		h.wantCode(name, try(), core.CodeCompanySignIn)
	}
	_, err := h.Accounts.SignIn(t.Context(), from, "admin@acme.example", password)
	h.must(err)
	h.signUp("carol@elsewhere.example")
	outcome, err := h.arrive("acme", person("bob@acme.example"))
	if err != nil || outcome.Session.User.ID != bob.ID {
		t.Errorf("got %+v, %v, want Bob by the company", outcome.Session.User, err)
	}
}

func TestSigningOutThere(t *testing.T) {
	h := newHouse(t, core.SignupOpen)
	view := h.provider()
	outcome, err := h.arrive("acme", person("ada@x.example"))
	h.must(err)
	address, err := url.Parse(h.SignOutURL(t.Context(), outcome.SignOut))
	query := address.Query()
	if err != nil || address.Host != "id.acme.example" || query.Get("post_logout_redirect_uri") != view.SignOutURI || query.Get("id_token_hint") == "" {
		t.Errorf("got %s, %v, want the issuer's page with the way back", address, err)
	}
	for _, forged := range []string{"", "x", outcome.SignOut[1:]} {
		if got := h.SignOutURL(t.Context(), forged); got != "" {
			t.Errorf("got %q for a forged note, want none", got)
		}
	}
	h.issuers.SetDown(true)
	if got := h.SignOutURL(t.Context(), outcome.SignOut); got != "" {
		t.Errorf("got %q while the issuer is down, want none", got)
	}
}
