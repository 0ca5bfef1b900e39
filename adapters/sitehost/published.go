package sitehost

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/pageview"
	"github.com/atelierhq/atelier/adapters/internal/requestid"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/publish"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/sites"
)

// publishedHost serves the live deployments.
type publishedHost struct {
	sites   Sites
	backend backendHandler
	files   sites.Store
	sets    *setCache
	bodies  *bodyCache
	door    *door
	visits  Visits
	log     *slog.Logger
	watch   watch
	// packing are the deployments that are being compressed in the background, until life
	// ends. None begins while mu is held.
	mu      sync.Mutex
	packing sync.WaitGroup
	life    context.Context
	end     context.CancelFunc
	// scheme and port are those of all sites, the port with its colon.
	scheme, port string
}

func newPublishedHost(deps Deps, settings Settings, sets *setCache) *publishedHost {
	h := &publishedHost{
		sites: deps.Sites, backend: newAnswering(deps), files: deps.Files, sets: sets, bodies: newBodyCache(settings.CacheBytes), log: deps.Log,
		door: newDoor(deps, settings.AppURL), visits: deps.Visits,
		watch: watch(settings.WatchEvery), scheme: settings.AppURL.Scheme, port: portOf(settings.AppDomain),
	}
	h.life, h.end = context.WithCancel(context.Background())
	return h
}

// finder finds a site by its slug or by a custom domain.
type finder func(ctx context.Context, name string) (publish.Site, error)

// serve answers for the site of a slug.
func (h *publishedHost) serve(w http.ResponseWriter, r *http.Request, slug string) {
	site, err := h.sites.Site(r.Context(), slug)
	h.serveSite(w, r, h.sites.Site, slug, site, err)
}

// serveSite serves the site that find has found by a name, or reports the failure to find it.
func (h *publishedHost) serveSite(w http.ResponseWriter, r *http.Request, find finder, name string, site publish.Site, err error) {
	if err == nil && site.TakenDown != "" {
		showFailure(w, r, http.StatusUnavailableForLegalReasons, takenDown(site.TakenDown))
		return
	}
	if err == nil && (site.Primary == "" || isData(r.URL.Path)) && !h.door.admit(w, r, site) {
		return
	}
	if isData(r.URL.Path) && err == nil && site.Live != "" {
		watched, done := h.watch.over(r, func(ctx context.Context) bool { return h.maySee(ctx, r, find, name) })
		defer done()
		serveData(h.backend, w, watched, backend.Place{Project: site.Project, Env: core.DataLive})
		return
	}
	if !isData(r.URL.Path) && !allowReading(w, r) {
		return
	}
	if site.Primary != "" {
		h.redirectToPrimary(w, r, site.Primary)
		return
	}
	if core.IsCode(err, core.CodeNotFound) || err == nil && site.Live == "" {
		showFailure(w, r, http.StatusNotFound, noSite())
		return
	}
	var live *fileSet
	if err == nil {
		live, err = h.load(r.Context(), site.Live, presentationOf(site))
	}
	if err != nil {
		h.fail(w, r, name, err)
		return
	}
	h.serveFrom(w, r, site, live)
}

// maySee reports whether a caller still sees a site. If nobody can tell, it is as it was.
func (h *publishedHost) maySee(ctx context.Context, r *http.Request, find finder, name string) bool {
	site, err := find(ctx, name)
	if core.IsCode(err, core.CodeNotFound) || err == nil && site.Live == "" {
		return false
	}
	return err != nil || h.door.isOpen(ctx, r, site)
}

// serveFrom finds what the path names: a file of the live deployment, an asset of an
// earlier one that an open page may still request, or a client-side route, which gets
// index.html. A site with its own 404.html has no such routes.
func (h *publishedHost) serveFrom(w http.ResponseWriter, r *http.Request, site publish.Site, live *fileSet) {
	path := r.URL.Path
	if !isPlainPath(path) {
		showMissing(w, r, live)
		return
	}
	file, directory := live.find(path)
	switch {
	case file != nil:
		h.servePage(w, r, site, file)
	case directory:
		redirectToDirectory(w, r)
	case hasExtension(path):
		if kept := h.findEarlier(r.Context(), site, path); kept != nil {
			kept.serve(w, r)
			return
		}
		showMissing(w, r, live)
	default:
		if page := routeOf(r, live); page != nil {
			h.servePage(w, r, site, page)
			return
		}
		showMissing(w, r, live)
	}
}

// routeOf returns the page for a path without a file, nil if there is none.
func routeOf(r *http.Request, set *fileSet) *asset {
	if set.missing != nil || !wantsPage(r.Header.Get("Accept")) {
		return nil
	}
	return set.files["index.html"]
}

// servePage sends a file, and counts the view if it is a page.
func (h *publishedHost) servePage(w http.ResponseWriter, r *http.Request, site publish.Site, file *asset) {
	file.serve(w, r)
	if file.isPage() && r.Method == http.MethodGet {
		h.countView(r, site.Project)
	}
}

// countView counts the view of a page if a person opens it.
func (h *publishedHost) countView(r *http.Request, project core.ID) {
	if h.visits == nil || !pageview.IsPersons(r) {
		return
	}
	from := pageview.From(r)
	h.visits.Count(project, r.URL.Path, from, from != "" && strings.EqualFold(from, hostname(r.Host)))
}

// showMissing answers with the site's own 404 page, or with a plain one.
func showMissing(w http.ResponseWriter, r *http.Request, set *fileSet) {
	if own := set.missing; own != nil && wantsPage(r.Header.Get("Accept")) {
		own.serveAs(w, r, http.StatusNotFound)
		return
	}
	showNotice(w, r, http.StatusNotFound, noPage())
}

// redirectToPrimary redirects to the same page under the project's primary domain. Search
// engines treat the redirect as permanent. Browsers revalidate it each time, because
// people change the primary domain.
func (h *publishedHost) redirectToPrimary(w http.ResponseWriter, r *http.Request, primary string) {
	target := url.URL{Scheme: h.scheme, Host: primary + h.port, Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
	w.Header()["Cache-Control"] = noCache
	w.Header().Set("Location", target.String())
	w.WriteHeader(http.StatusPermanentRedirect)
}

func redirectToDirectory(w http.ResponseWriter, r *http.Request) {
	target := url.URL{Path: r.URL.Path + "/", RawQuery: r.URL.RawQuery}
	w.Header()["Cache-Control"] = noCache
	w.Header().Set("Location", target.String())
	w.WriteHeader(http.StatusFound)
}

// findEarlier looks for an asset whose name contains its hash. Such an asset is the right
// one whichever deployment it comes from.
func (h *publishedHost) findEarlier(ctx context.Context, site publish.Site, path string) *asset {
	for _, deployment := range site.Earlier {
		set, err := h.load(ctx, deployment, presentationOf(site))
		if err != nil {
			h.log.WarnContext(ctx, "could not read an earlier deployment", "deployment", deployment, "error", err)
			continue
		}
		if file, _ := set.find(path); file != nil && file.immutable {
			return file
		}
	}
	return nil
}

// load lists the files of a deployment as the settings of its site present them. Their contents are
// read on demand.
func (h *publishedHost) load(ctx context.Context, deployment core.ID, p presentation) (*fileSet, error) {
	name := string(deployment) + p.name()
	return h.sets.get(ctx, p.key(deployment), name, func(ctx context.Context, _ *fileSet) (*fileSet, error) {
		entries, err := h.files.List(ctx, deployment)
		if err != nil {
			return nil, err
		}
		set := newFileSet(name, len(entries))
		for _, entry := range entries {
			if isData("/" + entry.Path) {
				continue // code that no visitor sees
			}
			set.add(entry.Path, h.present(deployment, entry, p))
		}
		p.addOwn(set)
		set.missing = set.files[p.notFound()]
		h.startPacking(deployment)
		return set, nil
	})
}

// packLimit bounds the compression of one deployment.
const packLimit = 5 * time.Minute

func (h *publishedHost) startPacking(deployment core.ID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.life.Err() == nil {
		h.packing.Go(func() { h.pack(deployment) })
	}
}

func (h *publishedHost) close() {
	h.mu.Lock()
	h.end()
	h.mu.Unlock()
	h.packing.Wait()
}

// pack makes compressed forms that are missing because of a crash during publication.
// Usually there is nothing to do.
func (h *publishedHost) pack(deployment core.ID) {
	ctx, cancel := context.WithTimeout(h.life, packLimit)
	defer cancel()
	if err := h.files.Pack(ctx, deployment); err != nil && h.life.Err() == nil && !core.IsCode(err, core.CodeNotFound) {
		h.log.WarnContext(ctx, "could not compress a deployment", "deployment", deployment, "error", err)
	}
}

// asset returns the asset of a published file.
func (h *publishedHost) asset(deployment core.ID, entry sites.Entry) *asset {
	a := describe(entry, []byte(entry.Digest), noCache)
	if entry.Size > maxHeld {
		a.stream = func(ctx context.Context) (io.ReadSeekCloser, error) { return h.files.Stream(ctx, deployment, entry) }
		return a
	}
	a.plain = newForm(a.tag, "", h.bodies, func(ctx context.Context) ([]byte, error) {
		return h.files.Read(ctx, deployment, entry)
	})
	if sites.Packable(entry.Path, entry.Size) {
		a.brotli, a.gzip = h.packed(deployment, entry, a.tag, sites.Brotli), h.packed(deployment, entry, a.tag, sites.Gzip)
	}
	return a
}

// packed returns a compressed form that was made when the site was published. A form that
// does not exist yet is not cached.
func (h *publishedHost) packed(deployment core.ID, entry sites.Entry, tag string, as sites.Encoding) *form {
	return newForm(tag, as, h.bodies, func(ctx context.Context) ([]byte, error) {
		form, made, err := h.files.Packed(ctx, deployment, entry, as)
		if err != nil || !made {
			return nil, err
		}
		if form == nil {
			form = []byte{}
		}
		return form, nil
	})
}

// fail answers that the site cannot be served at the moment. If the caller is gone,
// nothing is logged.
func (h *publishedHost) fail(w http.ResponseWriter, r *http.Request, name string, err error) {
	if r.Context().Err() == nil {
		h.log.ErrorContext(r.Context(), "could not serve a site", "request_id", w.Header().Get(requestid.Header), "site", name, "error", err)
	}
	w.Header().Set("Retry-After", "5")
	showFailure(w, r, http.StatusServiceUnavailable, unavailable())
}

// allowReading refuses every method but GET and HEAD.
func allowReading(w http.ResponseWriter, r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	w.Header().Set("Allow", "GET, HEAD")
	refuse(w, http.StatusMethodNotAllowed, "only GET and HEAD are allowed")
	return false
}

// refuse answers with an error for programs.
func refuse(w http.ResponseWriter, status int, message string) {
	w.Header()["Cache-Control"] = noStore
	http.Error(w, message, status)
}
