package guard

import (
	"net/http"
	"net/url"
	"time"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
)

// The session's cookies.
const (
	AccessCookie  = "app_access_token"
	RefreshCookie = "app_refresh_token"
	// CompanyCookie says at which company provider the browser signed in.
	CompanyCookie = "app_company"
)

// Cookies sets and clears the cookies.
type Cookies struct {
	base                  rest.Base
	secure                bool
	accessTTL, refreshTTL time.Duration
}

// NewCookies returns the cookies of the service at app, with their lifetimes.
func NewCookies(app *url.URL, accessTTL, refreshTTL time.Duration) Cookies {
	return Cookies{rest.BaseOf(app), app.Scheme == "https", accessTTL, refreshTTL}
}

// SetAccess sets an access token in the browser, for the token's lifetime.
func (s Cookies) SetAccess(w http.ResponseWriter, token string) {
	http.SetCookie(w, s.Cookie(AccessCookie, "/", token, int(s.accessTTL.Seconds())))
}

// SetRefresh sets a refresh token in the browser, which sends it to /auth only.
func (s Cookies) SetRefresh(w http.ResponseWriter, token string) {
	http.SetCookie(w, s.Cookie(RefreshCookie, "/auth", token, int(s.refreshTTL.Seconds())))
}

// SetCompany sets the note of a company provider, which the browser sends to /auth/logout only.
func (s Cookies) SetCompany(w http.ResponseWriter, note string) {
	http.SetCookie(w, s.Cookie(CompanyCookie, "/auth/logout", note, int(s.refreshTTL.Seconds())))
}

// ClearCompany removes it.
func (s Cookies) ClearCompany(w http.ResponseWriter) {
	http.SetCookie(w, s.Cookie(CompanyCookie, "/auth/logout", "", -1))
}

// Clear removes the session's.
func (s Cookies) Clear(w http.ResponseWriter) {
	http.SetCookie(w, s.Cookie(AccessCookie, "/", "", -1))
	http.SetCookie(w, s.Cookie(RefreshCookie, "/auth", "", -1))
}

// Cookie returns a cookie for the routes below path. It has no Domain, so that only this host
// gets it.
func (s Cookies) Cookie(name, path, value string, maxAge int) *http.Cookie {
	return &http.Cookie{
		Name: name, Value: value, Path: s.base.Outside(path), MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: s.secure,
	}
}
