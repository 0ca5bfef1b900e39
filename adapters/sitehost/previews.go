package sitehost

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"strings"

	"github.com/atelierhq/atelier/adapters/internal/requestid"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends/signins"
	"github.com/atelierhq/atelier/core/preview"
	"github.com/atelierhq/atelier/core/streams"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/build"
)

// The paths of a preview's host beside the pages of the project.
const (
	clientPath  = "/@atelier/client.js"
	bridgePath  = "/@atelier/bridge.js"
	pickerPath  = "/@atelier/picker.js"
	classesPath = "/@atelier/classes.js"
	pinsPath    = "/@atelier/pins.js"
	layersPath  = "/@atelier/layers.js"
	eventsPath  = "/@atelier/events"
	consolePath = "/@atelier/console"
	arrivePath  = "/@atelier/arrive"
)

// modulesDir holds a preview's modules. Browsers may cache these, but must revalidate
// them each time.
const modulesDir = "@app/"

// previewHost serves the previews. Knowing a preview's label is the right to see it, so
// the label is kept from other hosts: no referrer, no search engine, and no frame but the
// studio's.
type previewHost struct {
	previews *preview.Service
	backend  backendHandler
	// returns is nil if sign-ins come back to the previews' hosts.
	returns *signins.Returns
	streams *streams.Budget
	sets    *setCache
	log     *slog.Logger
	watch   watch
	// app is the studio's origin.
	app string
	// enter is the studio's address for pages whose preview has moved; a project's id follows.
	enter  string
	policy []string
	// scripts are the host's own, by path, rehearsed those of a rehearsal.
	scripts, rehearsed map[string]*asset
	common             *assetCache
	proxy              *proxy
	// looks answers for the labels that are no preview's.
	looks *lookHost
}

// commonBytes bounds the cache of assets that previews share.
const commonBytes = 64 << 20

func newPreviewHost(deps Deps, settings Settings, sets *setCache, looks *lookHost) *previewHost {
	studio := settings.AppURL
	app := studio.Scheme + "://" + studio.Host
	h := &previewHost{
		previews: deps.Previews,
		backend:  newAnswering(deps),
		returns:  deps.Returns,
		streams:  deps.Streams,
		sets:     sets,
		looks:    looks,
		log:      deps.Log,
		watch:    watch(settings.WatchEvery),
		app:      app,
		enter:    strings.TrimSuffix(studio.String(), "/") + "/enter/",
		policy:   []string{"frame-ancestors " + app},
		common:   newCommon(commonBytes),

		scripts: ownScripts(clientScript), rehearsed: ownScripts(rehearsedScript),
	}
	if scheme, _, _ := strings.Cut(app, ":"); deps.Data != nil && deps.Returns != nil {
		h.backend.data = providerDetour{deps.Data, deps.Returns, scheme}
	}
	h.proxy = newProxy(deps, h.serverTag)
	return h
}

// serve answers a request to the preview with a label.
func (h *previewHost) serve(w http.ResponseWriter, r *http.Request, label string) {
	header := w.Header()
	header["Content-Security-Policy"] = h.policy
	header["Referrer-Policy"] = []string{"no-referrer"}
	header["X-Robots-Tag"] = []string{"noindex"}
	visit, err := h.previews.Resolve(r.Context(), label)
	project := visit.Project
	if core.IsCode(err, core.CodeNotFound) {
		h.serveFormer(w, r, label)
		return
	}
	if err != nil {
		h.fail(w, r, project, err)
		return
	}
	if isData(r.URL.Path) {
		watched, done := h.watch.over(r, func(ctx context.Context) bool {
			_, err := h.previews.Resolve(ctx, label)
			return isThere(err)
		})
		defer done()
		serveData(h.backend, w, watched, backend.Place{Project: project, Env: core.DataTest, Copy: visit.Copy})
		return
	}
	switch r.URL.Path {
	case consolePath:
		h.takeConsole(w, r, visit)
		return
	case arrivePath:
		h.takeArrival(w, r, label)
		return
	}
	script := h.scripts[r.URL.Path]
	if visit.Audience == preview.AudienceRehearsal {
		script = h.rehearsed[r.URL.Path]
	}
	own := script != nil || r.URL.Path == eventsPath
	if server := h.previews.Server(project); server != nil && !own {
		h.proxy.serve(w, r, project, server)
		return
	}
	if !allowReading(w, r) {
		return
	}
	switch {
	case script != nil:
		script.serve(w, r)
	case r.URL.Path == eventsPath:
		h.sendEvents(w, r, project, label)
	case !isPlainPath(r.URL.Path):
		showNotice(w, r, http.StatusNotFound, noPage())
	case !h.serveKept(w, r, project):
		h.servePage(w, r, project)
	}
}

// serveKept serves a file whose name changes with its content from the present build,
// without waiting for a newer one.
func (h *previewHost) serveKept(w http.ResponseWriter, r *http.Request, project core.ID) bool {
	kept := h.previews.Kept(project)
	if kept == nil {
		return false
	}
	set, err := h.load(r.Context(), project, kept)
	if err != nil {
		return false
	}
	file, _ := set.find(r.URL.Path)
	if file == nil || !file.immutable {
		return false
	}
	file.serve(w, r)
	return true
}

// servePage serves from the build of the current files.
func (h *previewHost) servePage(w http.ResponseWriter, r *http.Request, project core.ID) {
	page, err := h.previews.Page(r.Context(), project)
	if err != nil {
		h.fail(w, r, project, err)
		return
	}
	if page.Server != nil {
		h.proxy.serve(w, r, project, page.Server)
		return
	}
	if page.Progress != "" {
		w.Header().Set("Retry-After", "2")
		showNotice(w, r, http.StatusServiceUnavailable, starting(page.Progress, h.tag("")))
		return
	}
	if page.Build == nil {
		w.Header().Set("Retry-After", "1")
		showNotice(w, r, http.StatusServiceUnavailable, notYet(page.Diagnostics, h.tag("")))
		return
	}
	set, err := h.load(r.Context(), project, page.Build)
	if err != nil {
		h.fail(w, r, project, err)
		return
	}
	path := r.URL.Path
	file, directory := set.find(path)
	switch {
	case file != nil:
		file.serve(w, r)
	case directory:
		redirectToDirectory(w, r)
	case hasExtension(path):
		showMissing(w, r, set)
	default:
		if route := routeOf(r, set); route != nil {
			route.serve(w, r)
			return
		}
		showMissing(w, r, set)
	}
}

// load makes the set of a build's files, with the client in every page. Unchanged files
// keep their compressed forms.
func (h *previewHost) load(ctx context.Context, project core.ID, made *preview.Build) (*fileSet, error) {
	return h.sets.get(ctx, "preview "+string(project), made.ID, func(_ context.Context, old *fileSet) (*fileSet, error) {
		set := newFileSet(made.ID, len(made.Files))
		for _, file := range made.Files {
			if isData("/" + file.Path) {
				continue // code that no visitor sees
			}
			set.add(file.Path, h.asset(file, made.ID, old))
		}
		set.missing = set.files[missingPage]
		return set, nil
	})
}

func (h *previewHost) asset(file build.File, made string, old *fileSet) *asset {
	if isPage(file.Path) {
		return newAsset(file.Path, inject(file.Content, h.tag(made)), file.Immutable, noStore)
	}
	if old != nil {
		if kept := old.files[file.Path]; kept != nil && kept.immutable == file.Immutable && bytes.Equal(kept.content, file.Content) {
			return kept
		}
	}
	control := noStore
	if strings.HasPrefix(file.Path, modulesDir) {
		control = noCache
	}
	make := func() *asset { return newAsset(file.Path, file.Content, file.Immutable, control) }
	if !file.Immutable {
		return make()
	}
	return h.common.get(file.Path, file.Content, make)
}

func isPage(path string) bool {
	return strings.HasPrefix(typeOf(path), "text/html")
}

// fail answers that the preview cannot be shown at the moment.
func (h *previewHost) fail(w http.ResponseWriter, r *http.Request, project core.ID, err error) {
	if r.Context().Err() == nil {
		h.log.ErrorContext(r.Context(), "could not serve a preview", "request_id", w.Header().Get(requestid.Header), "project", project, "error", err)
	}
	w.Header().Set("Retry-After", "5")
	showFailure(w, r, http.StatusServiceUnavailable, unavailable())
}
