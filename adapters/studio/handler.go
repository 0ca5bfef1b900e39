package studio

import (
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

// Built returns the files that the program carries.
func Built() fs.FS {
	files, err := fs.Sub(carried, "dist")
	if err != nil {
		panic(err) // The name is a constant, and a directory.
	}
	return files
}

// Config is what the page has to know of the installation.
type Config struct {
	// AppURL is the page's own address, which may have a path, and PreviewDomain the
	// domain below which the previews are that it frames.
	AppURL        *url.URL
	PreviewDomain string
	// AppDomain is the domain below which sites are published.
	AppDomain string
	// OAuth names the providers that one can sign in with, as in /auth/<name>.
	OAuth []string
	// Version is the program's.
	Version string
}

// base is the path of AppURL, "" for the root of its host.
func (c Config) base() string { return strings.TrimSuffix(c.AppURL.Path, "/") }

// Handler serves the page and its assets on the API's host. It may be used by many
// goroutines.
type Handler struct {
	page   *page
	assets map[string]*asset
}

// New reads a build of the studio. One that lacks its page has code
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
	delete(built, index)
	for name, content := range built {
		h.assets[name] = newAsset(strings.TrimPrefix(name, "/"), rebased(content, base))
	}
	return h, err
}

// Serves reports whether a request is for the studio: its assets, its pages, and
// those of its pages whose addresses the API answers as well, when a browser asks
// for a document.
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

// ServeLost shows the page, which says that there is nothing, to a browser that goes
// to an address of nobody's, and reports whether it did. Programs, scripts and frames
// get the API's own answer.
func (h *Handler) ServeLost(w http.ResponseWriter, r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || !h.isAt(r.Host) || !wantsDocument(r) {
		return false
	}
	h.page.serve(w, r, http.StatusNotFound)
	return true
}

// isAt reports whether a host is the studio's: APP_URL's, or the machine by its
// address. A name of somebody else's that leads here never shows it.
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

// place says whom an address belongs to.
type place int

const (
	placeOther place = iota
	// placeOwn is the studio's alone, placeShared the API's as well.
	placeOwn
	placeShared
)

// placeOf knows the addresses of pages (contract, section 9).
func placeOf(address string) place {
	if address == "/" {
		return placeOwn
	}
	if address != path.Clean(address) {
		return placeOther
	}
	parts := strings.Split(address[1:], "/")
	switch parts[0] {
	case "login", "signup", "forgot-password", "reset-password", "dashboard":
		if len(parts) == 1 {
			return placeOwn
		}
	case "settings":
		if len(parts) <= 2 {
			return placeOwn
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

// wantsDocument tells a browser that goes to an address from a program that calls
// the API.
func wantsDocument(r *http.Request) bool {
	if r.Header.Get("Authorization") != "" {
		return false
	}
	if to := r.Header.Get("Sec-Fetch-Dest"); to != "" {
		return to == "document"
	}
	return strings.Contains(r.Header.Get("Accept"), "text/html")
}
