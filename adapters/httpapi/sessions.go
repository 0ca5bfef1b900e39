package httpapi

import (
	"net/http"
	"net/url"
	"time"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
)

// The session's cookies (contract, section 2).
const (
	accessCookie  = "app_access_token"
	refreshCookie = "app_refresh_token"
)

// sessions sets and clears the cookies.
type sessions struct {
	base                  rest.Base
	secure                bool
	accessTTL, refreshTTL time.Duration
}

// newSessions returns the cookies of the service at app, with how long they live.
func newSessions(app *url.URL, accessTTL, refreshTTL time.Duration) sessions {
	return sessions{rest.BaseOf(app), app.Scheme == "https", accessTTL, refreshTTL}
}

// setAccess gives the browser an access token for as long as it lives.
func (s sessions) setAccess(w http.ResponseWriter, token string) {
	http.SetCookie(w, s.cookie(accessCookie, "/", token, int(s.accessTTL.Seconds())))
}

// setRefresh gives the browser a refresh token, which it sends to /auth only.
func (s sessions) setRefresh(w http.ResponseWriter, token string) {
	http.SetCookie(w, s.cookie(refreshCookie, "/auth", token, int(s.refreshTTL.Seconds())))
}

// clear takes both away.
func (s sessions) clear(w http.ResponseWriter) {
	http.SetCookie(w, s.cookie(accessCookie, "/", "", -1))
	http.SetCookie(w, s.cookie(refreshCookie, "/auth", "", -1))
}

// cookie is for the routes below path. It has no Domain, so that only this host gets it.
func (s sessions) cookie(name, path, value string, maxAge int) *http.Cookie {
	return &http.Cookie{
		Name: name, Value: value, Path: s.base.Outside(path), MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: s.secure,
	}
}
