package sitehost

import (
	"bytes"
	"context"
	_ "embed"
	"html/template"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/ratelimit"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/publish"
	"github.com/atelierhq/atelier/core/siteaccess"
	"github.com/atelierhq/atelier/ports/backend"
)

// Guard decides who sees sites that are not public, as siteaccess.Guard does.
type Guard interface {
	Admits(ctx context.Context, settings core.SiteSettings, ticket string) (bool, error)
	EnterWithPassword(ctx context.Context, settings core.SiteSettings, password string) (siteaccess.Ticket, error)
	EnterWithPass(ctx context.Context, settings core.SiteSettings, pass string) (siteaccess.Ticket, error)
}

const (
	// passwordPath is where visitors send the password of a site.
	passwordPath = "/_site/sign-in"
	// attemptsPerMinute bounds the passwords that one address tries at one site.
	attemptsPerMinute = 10
	// maxPasswordForm bounds the form with the password, in bytes.
	maxPasswordForm = 8 << 10
)

// door lets visitors into sites that are not public. No byte of such a site is given to anybody
// else.
type door struct {
	guard    Guard
	attempts *ratelimit.Limiter
	visitor  func(r *http.Request) netip.Addr
	// app is the address of the studio, where members get their passes.
	app    string
	secure bool
}

func newDoor(deps Deps, app *url.URL) *door {
	return &door{
		guard: deps.Guard, attempts: ratelimit.New(attemptsPerMinute, time.Now), visitor: deps.Visitor,
		app: strings.TrimSuffix(app.String(), "/"), secure: app.Scheme == "https",
	}
}

// admit reports whether a request may see a site. If not, it has answered.
func (d *door) admit(w http.ResponseWriter, r *http.Request, site publish.Site) bool {
	settings := site.Settings
	if settings == nil || settings.Access == core.SitePublic {
		return true
	}
	w.Header()["Cache-Control"] = noStore
	w.Header()["X-Robots-Tag"] = []string{"noindex"}
	// Pages of other people's sites are of the same site for browsers, which send the cookie along.
	w.Header()["Cross-Origin-Resource-Policy"] = []string{"same-origin"}
	if d.guard == nil {
		showFailure(w, r, http.StatusServiceUnavailable, unavailable())
		return false
	}
	admitted, err := d.guard.Admits(r.Context(), *settings, d.ticketOf(r))
	switch {
	case err != nil:
		w.Header().Set("Retry-After", "5")
		showFailure(w, r, http.StatusServiceUnavailable, unavailable())
	case admitted && r.URL.Path != passwordPath && r.URL.Path != siteaccess.EnterPath:
		w.Header().Del("Cache-Control")
		return true
	case r.URL.Path == siteaccess.EnterPath && settings.Access == core.SiteWorkspace:
		d.takePass(w, r, *settings)
	case r.URL.Path == passwordPath && settings.Access == core.SitePassword && r.Method == http.MethodPost:
		d.takePassword(w, r, *settings)
	case admitted:
		d.lead(w, "/")
	default:
		d.refuse(w, r, *settings)
	}
	return false
}

// isOpen reports whether a request whose answer has begun may still see a site.
func (d *door) isOpen(ctx context.Context, r *http.Request, site publish.Site) bool {
	if site.Settings == nil || site.Settings.Access == core.SitePublic || d.guard == nil {
		return true
	}
	admitted, err := d.guard.Admits(ctx, *site.Settings, d.ticketOf(r))
	return admitted || err != nil
}

// refuse answers a visitor without a ticket: people are asked for what they need, programs get 401.
func (d *door) refuse(w http.ResponseWriter, r *http.Request, settings core.SiteSettings) {
	isPage := (r.Method == http.MethodGet || r.Method == http.MethodHead) && strings.Contains(r.Header.Get("Accept"), "text/html")
	switch {
	case isData(r.URL.Path):
		backend.Refuse(w, http.StatusUnauthorized, "This site is not public: open it in the browser and sign in first.")
	case !isPage:
		refuse(w, http.StatusUnauthorized, "this site is not public: sign in first")
	case settings.Access == core.SiteWorkspace:
		to := url.Values{siteaccess.PathParameter: {r.URL.RequestURI()}}
		w.Header().Set("Location", d.app+"/enter/"+string(settings.ProjectID)+"?"+to.Encode())
		w.WriteHeader(http.StatusSeeOther)
	default:
		showPasswordForm(w, r, http.StatusUnauthorized, passwordForm{To: r.URL.RequestURI()})
	}
}

// takePass exchanges a member's pass for a ticket.
func (d *door) takePass(w http.ResponseWriter, r *http.Request, settings core.SiteSettings) {
	if !allowReading(w, r) {
		return
	}
	w.Header()["Referrer-Policy"] = []string{"no-referrer"} // the address has the pass
	query := r.URL.Query()
	to := localPath(query.Get(siteaccess.PathParameter))
	ticket, err := d.guard.EnterWithPass(r.Context(), settings, query.Get(siteaccess.PassParameter))
	switch {
	case core.IsCode(err, core.CodeInvalidToken), core.IsCode(err, core.CodeNotFound):
		d.lead(w, to) // there the visitor is asked to sign in again
	case err != nil:
		showFailure(w, r, http.StatusServiceUnavailable, unavailable())
	default:
		d.keep(w, ticket)
		d.lead(w, to)
	}
}

// takePassword exchanges the password for a ticket.
func (d *door) takePassword(w http.ResponseWriter, r *http.Request, settings core.SiteSettings) {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/x-www-form-urlencoded" {
		refuse(w, http.StatusUnsupportedMediaType, "the body must be application/x-www-form-urlencoded")
		return
	}
	body, err := readShort(w, r, maxPasswordForm)
	form, wrong := url.ParseQuery(string(body))
	if err != nil || wrong != nil {
		refuse(w, http.StatusBadRequest, "the form cannot be read")
		return
	}
	to := localPath(form.Get(siteaccess.PathParameter))
	if err := d.attempts.Take(string(settings.ProjectID) + " " + d.addressOf(r)); err != nil {
		w.Header().Set("Retry-After", "60")
		showPasswordForm(w, r, http.StatusTooManyRequests, passwordForm{To: to, Problem: "Too many attempts. Wait a minute and try again."})
		return
	}
	ticket, err := d.guard.EnterWithPassword(r.Context(), settings, form.Get("password"))
	switch {
	case core.IsCode(err, core.CodeInvalidCredentials):
		showPasswordForm(w, r, http.StatusUnauthorized, passwordForm{To: to, Problem: "This is not the password. Try again."})
	case err != nil:
		w.Header().Set("Retry-After", "5")
		showFailure(w, r, http.StatusServiceUnavailable, unavailable())
	default:
		d.keep(w, ticket)
		d.lead(w, to)
	}
}

func (d *door) addressOf(r *http.Request) string {
	if d.visitor != nil {
		if address := d.visitor(r); address.IsValid() {
			return ratelimit.AddressKey(address.Unmap())
		}
	}
	return connectionKey(r)
}

// connectionKey is by what the client at the other end of a connection is limited.
func connectionKey(r *http.Request) string {
	if connection, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
		return ratelimit.AddressKey(connection.Addr().Unmap())
	}
	return r.RemoteAddr
}

// lead sends a browser to a path of the site.
func (d *door) lead(w http.ResponseWriter, to string) {
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}

// localPath returns a path of the same site, "/" for anything else.
func localPath(text string) string {
	to, err := url.Parse(text)
	if err != nil || to.Scheme != "" || to.Host != "" || !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") || strings.ContainsAny(text, "\\\r\n") ||
		to.Path == passwordPath || to.Path == siteaccess.EnterPath {
		return "/"
	}
	return to.RequestURI()
}

// ticketCookie is the name of the cookie with a ticket. With TLS, no other host can set it.
func (d *door) ticketCookie() string {
	if d.secure {
		return "__Host-atelier-site"
	}
	return "atelier-site"
}

// keep lets the browser keep a ticket. No script of the site can read it.
func (d *door) keep(w http.ResponseWriter, ticket siteaccess.Ticket) {
	http.SetCookie(w, &http.Cookie{
		Name: d.ticketCookie(), Value: ticket.Text, Path: "/", Expires: ticket.ExpiresAt.Std(),
		Secure: d.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// cookiesKey is the key of the cookies in a request's context.
type cookiesKey struct{}

// withCookies keeps the cookies of a request for its door, and away from everything else.
func withCookies(r *http.Request) *http.Request {
	cookies := r.Header["Cookie"]
	if len(cookies) == 0 {
		return r
	}
	kept := r.WithContext(context.WithValue(r.Context(), cookiesKey{}, cookies))
	kept.Header.Del("Cookie")
	return kept
}

// ticketOf returns the ticket that a request carries, "" for none.
func (d *door) ticketOf(r *http.Request) string {
	cookies, _ := r.Context().Value(cookiesKey{}).([]string)
	carrier := http.Request{Header: http.Header{"Cookie": cookies}}
	if cookie, err := carrier.Cookie(d.ticketCookie()); err == nil {
		return cookie.Value
	}
	return ""
}

// passwordForm asks for the password of a site.
type passwordForm struct {
	// To is where the visitor wants to go.
	To      string
	Problem string
}

// Paths of the form, for its template.
func (passwordForm) Action() string { return passwordPath }

//go:embed pages/password.html
var passwordSource string

var passwordPage = template.Must(template.New("password").Parse(passwordSource))

// passwordPolicy is a Content-Security-Policy that allows the form and inline styles. Nobody may
// show the page in a frame, because it takes a password.
const passwordPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

func showPasswordForm(w http.ResponseWriter, r *http.Request, status int, form passwordForm) {
	var body bytes.Buffer
	if err := passwordPage.Execute(&body, form); err != nil {
		refuse(w, status, "this site has a password")
		return
	}
	header := w.Header()
	header["Cache-Control"] = noStore
	header["Content-Type"] = []string{mediaTypes[".html"]}
	header.Set("Content-Security-Policy", passwordPolicy)
	header.Set("Referrer-Policy", "same-origin")
	header.Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body.Bytes())
	}
}
