package sitehost

import (
	"context"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/requestid"
	"github.com/atelierhq/atelier/adapters/sitehost/accesslog"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends/signins"
	"github.com/atelierhq/atelier/core/looks"
	"github.com/atelierhq/atelier/core/preview"
	"github.com/atelierhq/atelier/core/publish"
	"github.com/atelierhq/atelier/core/streams"
	"github.com/atelierhq/atelier/ports/sites"
)

// Sites finds live sites, as publish.Service does.
type Sites interface {
	Site(ctx context.Context, slug string) (publish.Site, error)
	SiteAt(ctx context.Context, name string) (publish.Site, error)
}

// Visits counts the views of pages, as visits.Counter does.
type Visits interface {
	Count(project core.ID, path, from string, own bool)
}

// Deps are the dependencies of a Handler.
type Deps struct {
	Sites    Sites
	Files    sites.Store
	Previews *preview.Service
	// Looks finds what links to pages show; nil means that there are none.
	Looks *looks.Service
	// Data answers for the records of backends, Functions for their functions; nil means that no
	// project has any.
	Data, Functions Data
	// Returns are the addresses to which sign-ins on previews come back; nil means that they come
	// back to the previews' hosts.
	Returns *signins.Returns
	// Guard decides who sees sites that are not public; nil lets nobody see them. Visits counts the
	// views of pages; nil counts none.
	Guard  Guard
	Visits Visits
	// AccessLog gets a line for each answer of a published site; nil is no log.
	AccessLog *accesslog.Log
	// Visitor returns the address of a visitor, as far as trusted proxies report it; the zero Addr
	// is unknown. nil is the connection's.
	Visitor func(r *http.Request) netip.Addr
	// Streams bounds the connections that pages keep open; nil is no bound.
	Streams *streams.Budget
	Log     *slog.Logger
}

// Settings are the operator's settings. The domains may have a
// port, which is ignored when hosts are compared.
type Settings struct {
	AppURL        *url.URL
	AppDomain     string
	PreviewDomain string
	// CacheBytes bounds the files in memory, including their compressed forms; 0 is 256
	// MiB. Files in use are held in any case.
	CacheBytes int64
	// WatchEvery is how often it is asked whether who is being answered may still see what it is
	// about; 0 is 5 seconds.
	WatchEvery time.Duration
}

const defaultCacheBytes = 256 << 20

// Handler serves published sites and previews. Give it only the requests whose host it
// matches.
type Handler struct {
	hosts     hosts
	published *publishedHost
	previews  *previewHost
	looks     *lookHost
	accessLog *accesslog.Log
}

// New returns a handler.
func New(deps Deps, settings Settings) *Handler {
	if settings.CacheBytes <= 0 {
		settings.CacheBytes = defaultCacheBytes
	}
	if settings.WatchEvery <= 0 {
		settings.WatchEvery = watchEvery
	}
	sets := newSetCache(settings.CacheBytes)
	published := newPublishedHost(deps, settings, sets)
	shown := newLookHost(deps, settings, sets, published)
	return &Handler{
		hosts: hosts{
			app:      hostname(settings.AppURL.Host),
			sites:    hostname(settings.AppDomain),
			previews: hostname(settings.PreviewDomain),
		},
		published: published,
		previews:  newPreviewHost(deps, settings, sets, shown),
		looks:     shown,
		accessLog: deps.AccessLog,
	}
}

// Close ends background work and waits for it.
func (h *Handler) Close() { h.published.close() }

// Match reports whether host, as a request gives it, belongs to a site or a preview: it
// is one of their domains or lies below one, and is not the API's own.
func (h *Handler) Match(host string) bool {
	kind := h.hosts.find(host).kind
	return kind == hostSite || kind == hostPreview
}

// Find returns the handler of a request to a site or a preview: one whose host matches,
// or is a custom domain that leads to a site, or the address on the API's host at which
// sign-ins on previews come back. It returns nil for any other request. A host without a
// site gets a page with status 404, never another site.
func (h *Handler) Find(r *http.Request) http.Handler {
	at := h.hosts.find(r.Host)
	switch at.kind {
	case hostApp:
		if h.previews.returns == nil {
			return nil
		}
		project, err := h.previews.returns.ProjectAt(r.URL.Path)
		if err != nil {
			return nil
		}
		return withCommon(func(w http.ResponseWriter, r *http.Request) { h.previews.serveReturn(w, r, project) })
	case hostSite:
		return h.logged(func(w http.ResponseWriter, r *http.Request) { h.published.serve(w, r, at.label) })
	case hostPreview:
		return withCommon(func(w http.ResponseWriter, r *http.Request) { h.previews.serve(w, r, at.label) })
	case hostForeign:
		site, err := h.published.sites.SiteAt(r.Context(), at.label)
		if err != nil {
			return nil
		}
		return h.logged(func(w http.ResponseWriter, r *http.Request) {
			h.published.serveSite(w, r, h.published.sites.SiteAt, at.label, site, nil)
		})
	}
	return nil
}

// ServeHTTP implements http.Handler for requests that are for a site or a preview.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if found := h.Find(r); found != nil {
		found.ServeHTTP(w, r)
		return
	}
	withCommon(func(w http.ResponseWriter, r *http.Request) { showFailure(w, r, http.StatusNotFound, noSite()) }).ServeHTTP(w, r)
}

// logged is withCommon for published sites, which have an access log.
func (h *Handler) logged(serve http.HandlerFunc) http.Handler {
	if h.accessLog == nil {
		return withCommon(serve)
	}
	return h.accessLog.Around(withCommon(serve))
}

// withCommon is middleware for all answers of this package: it bounds the time, removes
// credentials, and sets common headers.
func withCommon(serve http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		w := newPacedWriter(out)
		if r.URL.Path == "" && r.URL.Host != "" {
			r = r.Clone(r.Context()) // GET http://host HTTP/1.1 asks for the root.
			r.URL.Path = "/"
		}
		r = withCookies(r)
		if !isData(r.URL.Path) {
			// A page's own users send the tokens of its backend.
			r.Header.Del("Authorization")
		}
		w.Header()[requestid.Header] = []string{requestid.Of(r)}
		w.Header()["X-Content-Type-Options"] = noSniff
		serve(w, r)
	})
}

// noSniff and the others are header values that all answers share. They are immutable.
var (
	noSniff    = []string{"nosniff"}
	noCache    = []string{"no-cache"}
	noStore    = []string{"no-store"}
	forEver    = []string{"public, max-age=31536000, immutable"}
	byEncoding = []string{"Accept-Encoding"}
)
