package studio

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"html"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/atelierhq/atelier/core"
)

// page is index.html, the same for every address of the studio. Each answer has its own
// nonce, with which the editor may add the style sheets that it generates.
type page struct {
	before, after []byte
	config        Config
	policy        string
	// chunks are the tags that load a page's own chunk with the first scripts, by its name.
	chunks  map[string][]byte
	settled atomic.Bool
}

// The chunks of the pages that people come to first.
const (
	chunkFront     = "front"
	chunkDashboard = "dashboard"
)

// pageConfig is the configuration in the form of the page.
type pageConfig struct {
	// Base is the path below which the studio is, "" at the root.
	Base    string   `json:"base"`
	OAuth   []string `json:"oauth"`
	Sites   string   `json:"sites"`
	Version string   `json:"version"`
	Session bool     `json:"session"`
	Fresh   bool     `json:"fresh"`
	// Signup is who may sign up, SignupDomains the domains whose addresses may.
	Signup        string   `json:"signup"`
	SignupDomains []string `json:"signupDomains"`
	Passwords     bool     `json:"passwords"`
	Nonce         string   `json:"nonce"`
	// Companies are the providers with which people of companies sign in.
	Companies []Company `json:"companies"`
}

const headEnd = "</head>"

// newPage inserts tags into the head of a page.
func newPage(content, tags []byte, config Config) (*page, error) {
	before, after, found := bytes.Cut(content, []byte(headEnd))
	if !found {
		return nil, core.Errorf(core.CodeInternal, "index.html has no head")
	}
	return &page{
		before: slices.Concat(before, tags), after: slices.Concat([]byte(headEnd), after),
		config: config, policy: policyOf(config), chunks: make(map[string][]byte),
	}, nil
}

// policyOf returns the page's Content-Security-Policy without the part that differs
// between answers. Only scripts of the build run, whatever a model or a file says. Frames
// show only previews. No text becomes HTML, because no code may convert it (trusted
// types): the only policy makes the address of the service worker, whatever it is given
// (web/app/installed.ts), and cannot be made twice.
func policyOf(config Config) string {
	frames := config.AppURL.Scheme + "://*." + config.PreviewDomain
	return strings.Join([]string{
		"default-src 'none'",
		"script-src 'self'",
		"img-src 'self' blob: data: https://avatars.githubusercontent.com https://*.googleusercontent.com",
		"connect-src 'self'",
		"font-src 'self'",
		"manifest-src 'self'",
		"worker-src 'self'",
		"frame-src " + frames,
		"base-uri 'none'",
		"form-action 'self'",
		"frame-ancestors 'none'",
		"require-trusted-types-for 'script'",
		"trusted-types atelier-worker",
	}, "; ")
}

// hasSession reports whether a request has the session's cookie, valid or not. With a
// cookie the page asks the API; otherwise it saves the request.
func hasSession(r *http.Request) bool {
	_, err := r.Cookie("app_access_token")
	return err == nil
}

// isFresh reports whether nobody has an account yet. Visitors are not told of a failure
// business: whatever they do next tells them.
func (p *page) isFresh(r *http.Request) bool {
	if p.config.Settled == nil || p.settled.Load() {
		return false
	}
	settled, err := p.config.Settled(r.Context())
	if settled {
		p.settled.Store(true)
	}
	return err == nil && !settled
}

// signup returns who may sign up. After a failure it is everybody: a refusal then tells them.
func (p *page) signup(r *http.Request) Signup {
	open := Signup{Policy: "open", Domains: []string{}, Passwords: true}
	if p.config.Signup == nil {
		return open
	}
	found, err := p.config.Signup(r.Context())
	if err != nil {
		return open
	}
	return found
}

// companies returns the company providers, none after a failure.
func (p *page) companies(r *http.Request) []Company {
	if p.config.Companies == nil {
		return []Company{}
	}
	companies, err := p.config.Companies(r.Context())
	if err != nil {
		return []Company{}
	}
	return companies
}

// chunkFor returns the tags for the page that a request will most likely show.
func (p *page) chunkFor(r *http.Request) []byte {
	switch r.URL.Path {
	case "/":
		if !hasSession(r) {
			return p.chunks[chunkFront]
		}
		return p.chunks[chunkDashboard]
	case "/dashboard":
		return p.chunks[chunkDashboard]
	}
	return nil
}

func (p *page) serve(w http.ResponseWriter, r *http.Request, status int) {
	nonce := rand.Text()
	signup := p.signup(r)
	settings, err := json.Marshal(pageConfig{
		Base: p.config.base(), OAuth: p.config.OAuth, Sites: p.config.AppDomain, Version: p.config.Version,
		Session: hasSession(r), Fresh: p.isFresh(r), Signup: signup.Policy, SignupDomains: signup.Domains, Passwords: signup.Passwords, Nonce: nonce, Companies: p.companies(r),
	})
	if err != nil {
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", p.policy+"; style-src 'self' 'nonce-"+nonce+"'")
	header.Set("Cache-Control", "no-store")
	header.Set("Cross-Origin-Opener-Policy", "same-origin-allow-popups")
	header.Set("Referrer-Policy", "same-origin")
	header.Add("Vary", "Accept, Sec-Fetch-Dest")
	w.WriteHeader(status)
	if r.Method == http.MethodHead {
		return
	}
	var body bytes.Buffer
	body.Write(p.before)
	body.Write(p.chunkFor(r))
	body.WriteString(`<meta name="atelier" content="` + html.EscapeString(string(settings)) + `">`)
	body.Write(p.after)
	_, _ = w.Write(body.Bytes())
}
