package account

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/guard"
	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/companysignin"
)

// companyPath is where the routes of a company provider are. The cookie of an attempt is for these
// alone.
func companyPath(slug string) string { return "/auth/oidc/" + slug }

func companyPurpose(slug string) string { return "oidc_" + slug }

// BeginCompany answers GET /auth/oidc/:slug. If the provider does not answer, the browser returns
// to the sign-in page, as after a flow.
func BeginCompany(companies *companysignin.Service, f OAuthFlows) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		query, err := r.Query()
		if err != nil {
			return err
		}
		next, err := checkNext(f.app, query["next"])
		if err != nil {
			return err
		}
		slug := r.Param("slug")
		departure, err := companies.Begin(r.Context(), slug, next)
		if core.IsCode(err, core.CodeUnavailable) {
			return f.fail(w, r, pageSignIn, err)
		}
		if err != nil {
			return err
		}
		return f.redirect(w, companyPurpose(slug), companyPath(slug), departure)
	}
}

// FinishCompany answers GET /auth/oidc/:slug/callback.
func FinishCompany(companies *companysignin.Service, f OAuthFlows) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		slug := r.Param("slug")
		back := f.readReturn(w, r, companyPurpose(slug), companyPath(slug))
		outcome, err := companies.Finish(r.Context(), r.Actor, slug, back)
		if core.IsCode(err, core.CodeMFARequired) {
			f.session.SetCompany(w, outcome.SignOut)
			return f.askForCode(w, outcome.Next, err)
		}
		if err != nil {
			return f.fail(w, r, pageSignIn, err)
		}
		f.session.SetCompany(w, outcome.SignOut)
		f.session.SetAccess(w, outcome.Session.AccessToken)
		f.session.SetRefresh(w, outcome.Session.RefreshToken)
		return f.show(w, outcome.Next)
	}
}

// signOutThere returns the address that ends the session at a company provider, "" if the browser
// has none.
func signOutThere(companies *companysignin.Service, r *rest.Request) string {
	sealed, err := guard.OnlyCookie(r.Request, guard.CompanyCookie)
	if err != nil {
		return ""
	}
	return companies.SignOutURL(r.Context(), sealed)
}
