package studio

import (
	"context"
	"embed"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/atelierhq/atelier/core"
)

//go:embed all:dist
var carried embed.FS

// Built returns the embedded files of the studio.
func Built() fs.FS {
	files, err := fs.Sub(carried, "dist")
	if err != nil {
		panic(err) // The name is a constant, and a directory.
	}
	return files
}

// Config is what the page must know of the installation.
type Config struct {
	// AppURL is the page's own address, which may have a path. PreviewDomain is the
	// domain below which the framed previews are.
	AppURL        *url.URL
	PreviewDomain string
	// AppDomain is the domain below which sites are published.
	AppDomain string
	// OAuth lists the sign-in providers, as in /auth/<name>.
	OAuth []string
	// Version is the program's.
	Version string
	// Settled reports whether somebody has an account. Once it has, it is not asked again;
	// nil means that somebody has.
	Settled func(context.Context) (bool, error)
	// Signup returns who may sign up, and whether with a password.
	// nil means everybody.
	Signup func(context.Context) (Signup, error)
	// Companies returns the providers with which people of companies sign in; nil means none.
	Companies func(context.Context) ([]Company, error)
}

// Company is a provider with which people of a company sign in, at /auth/oidc/<slug>.
type Company struct {
	Slug string `json:"slug"`
	Name string `json:"name"`
}

// Signup is who may sign up.
type Signup struct {
	// Policy is a core.SignupPolicy, and Domains are those whose addresses may.
	Policy  string
	Domains []string
	// Passwords says that people may sign up and in with a password.
	Passwords bool
}

// base is the path of AppURL, "" for the root of its host.
func (c Config) base() string { return strings.TrimSuffix(c.AppURL.Path, "/") }

// Handler serves the page and its assets on the API's host. It is safe for concurrent
// use.
type Handler struct {
	page   *page
	assets map[string]*asset
}

// New reads a build of the studio. If its page is missing, the error has code
// core.CodeInternal.
func New(files fs.FS, config Config) (*Handler, error) {
	built := map[string][]byte{}
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		built["/"+name], err = fs.ReadFile(files, name)
		return err
	})
	if err != nil {
		return nil, core.Wrap(core.CodeInternal, err, "the studio cannot be read")
	}
	const index = "/index.html"
	if built[index] == nil {
		return nil, core.Errorf(core.CodeInternal, "the studio has no index.html")
	}
	base := config.base()
	h := &Handler{assets: make(map[string]*asset)}
	h.page, err = newPage(rebased(built[index], base), rebased(preloads(built[index], built), base), config)
	if err != nil {
		return nil, err
	}
	for _, chunk := range []string{chunkFront, chunkDashboard} {
		h.page.chunks[chunk] = rebased(preloadsOf(chunk, built[index], built), base)
	}
	delete(built, index)
	for name, content := range built {
		h.assets[name] = newAsset(strings.TrimPrefix(name, "/"), rebased(content, base))
	}
	return h, nil
}

// Serves reports whether a request is for the studio. These are its assets, its pages,
// and requests for a document at addresses that pages and the API share.
func (h *Handler) Serves(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || !h.isAt(r.Host) {
		return false
	}
	if h.assets[r.URL.Path] != nil {
		return true
	}
	switch placeOf(r.URL.Path) {
	case placeOwn:
		return true
	case placeShared:
		return wantsDocument(r)
	}
	return false
}

// ServeHTTP answers a request that Serves reported.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if asset := h.assets[r.URL.Path]; asset != nil {
		asset.serve(w, r)
		return
	}
	h.page.serve(w, r, http.StatusOK)
}

// ServeLost shows a page for a missing address to a browser that navigates to it, and
// reports whether it did. Programs, scripts and frames get the API's own answer.
func (h *Handler) ServeLost(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || !h.isAt(r.Host) || !wantsDocument(r) {
		return false
	}
	h.page.serve(w, r, http.StatusNotFound)
	return true
}

// isAt reports whether a host is the studio's: that of APP_URL, or an address of the
// machine. A foreign name that resolves to this machine never shows the studio.
func (h *Handler) isAt(host string) bool {
	if strings.EqualFold(host, h.page.config.AppURL.Host) {
		return true
	}
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	return name == "localhost" || net.ParseIP(name) != nil
}

// place says to whom an address belongs.
type place int

const (
	placeOther place = iota
	// placeOwn is the studio's alone; placeShared is the API's as well.
	placeOwn
	placeShared
)

// placeOf returns the place of a page's address.
func placeOf(address string) place {
	if address == "/" {
		return placeOwn
	}
	if address != path.Clean(address) {
		return placeOther
	}
	parts := strings.Split(address[1:], "/")
	switch parts[0] {
	case "login", "signup", "forgot-password", "reset-password", "verify-email", "dashboard":
		if len(parts) == 1 {
			return placeOwn
		}
	case "settings", "help":
		if len(parts) <= 2 {
			return placeOwn
		}
	case "oauth":
		if len(parts) == 2 && parts[1] == "authorize" {
			return placeOwn
		}
	case "enter":
		if len(parts) == 2 {
			return placeOwn
		}
	case "admin":
		if len(parts) <= 2 {
			return placeShared
		}
	case "projects", "invites":
		if len(parts) == 2 {
			return placeShared
		}
	case "workspaces":
		if len(parts) == 2 || len(parts) == 3 {
			return placeShared
		}
	}
	return placeOther
}

// wantsDocument distinguishes a browser's navigation from a program that calls the API.
func wantsDocument(r *http.Request) bool {
	if r.Header.Get("Authorization") != "" {
		return false
	}
	if to := r.Header.Get("Sec-Fetch-Dest"); to != "" {
		return to == "document"
	}
	return strings.Contains(r.Header.Get("Accept"), "text/html")
}
