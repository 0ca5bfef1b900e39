package sitehost

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/atelierhq/atelier/adapters/internal/requestid"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/looks"
	"github.com/atelierhq/atelier/ports/backend"
)

// lookHost serves the links that members share, and their looks at versions and deployments. It gives
// out the pages as a site's visitors get them: without sources, the preview's client, its events or
// diagnostics.
type lookHost struct {
	// looks is nil if there are none.
	looks     *looks.Service
	sets      *setCache
	published *publishedHost
	backend   backendHandler
	log       *slog.Logger
	watch     watch
}

func newLookHost(deps Deps, settings Settings, sets *setCache, published *publishedHost) *lookHost {
	return &lookHost{looks: deps.Looks, sets: sets, published: published, backend: newAnswering(deps), log: deps.Log, watch: watch(settings.WatchEvery)}
}

// find returns core.CodeNotFound unless a label is that of a link.
func (h *lookHost) find(ctx context.Context, label string) error {
	_, err := h.resolve(ctx, label)
	return err
}

func (h *lookHost) resolve(ctx context.Context, label string) (looks.Look, error) {
	if h.looks == nil {
		return looks.Look{}, core.NotFound("preview")
	}
	return h.looks.Resolve(ctx, label)
}

// serve answers a request to the link with a label. The previews' host has set the headers that keep
// the label from others.
func (h *lookHost) serve(w http.ResponseWriter, r *http.Request, label string) {
	look, err := h.resolve(r.Context(), label)
	switch {
	case core.IsCode(err, core.CodeNotFound):
		showFailure(w, r, http.StatusNotFound, noPreview())
	case err != nil:
		h.fail(w, r, look, err)
	case isData(r.URL.Path):
		watched, done := h.watch.over(r, func(ctx context.Context) bool { return isThere(h.find(ctx, label)) })
		defer done()
		h.serveData(w, watched, look)
	case !allowReading(w, r):
	case !isPlainPath(r.URL.Path):
		showNotice(w, r, http.StatusNotFound, noPage())
	default:
		h.servePage(w, r, look)
	}
}

// serveData gives the pages of a share test data. A look at what was is for reading; functions may
// change data whatever the method, so they do not run there.
func (h *lookHost) serveData(w http.ResponseWriter, r *http.Request, look looks.Look) {
	isRead := r.Method == http.MethodGet || r.Method == http.MethodHead
	if look.Kind != core.LinkShare && isFunction(r.URL.Path) {
		w.Header()["Cache-Control"] = noStore
		backend.Refuse(w, http.StatusForbidden, "This is a look at an earlier state: functions do not run here.")
		return
	}
	if look.Kind != core.LinkShare && !isRead {
		w.Header().Set("Allow", "GET, HEAD")
		backend.Refuse(w, http.StatusMethodNotAllowed, "This is a look at an earlier state: nothing can be changed here.")
		return
	}
	serveData(h.backend, w, r, backend.Place{Project: look.Project, Env: core.DataTest})
}

func (h *lookHost) servePage(w http.ResponseWriter, r *http.Request, look looks.Look) {
	set, err := h.load(r.Context(), look)
	switch {
	case core.IsCode(err, core.CodeNotFound), core.IsCode(err, core.CodeValidationFailed), core.IsCode(err, core.CodePayloadTooLarge):
		showNotice(w, r, http.StatusNotFound, notShown())
		return
	case err != nil:
		h.fail(w, r, look, err)
		return
	case len(set.files) == 0:
		w.Header().Set("Retry-After", "5")
		showNotice(w, r, http.StatusServiceUnavailable, underWork())
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

// load returns the files that a look shows.
func (h *lookHost) load(ctx context.Context, look looks.Look) (*fileSet, error) {
	if look.Kind == core.LinkDeployment {
		return h.published.load(ctx, core.ID(look.Target), presentation{look: true})
	}
	name, err := h.looks.Name(ctx, look)
	if err != nil {
		return nil, err
	}
	key := "look " + string(look.Project) + string(look.Kind) + look.Target
	return h.sets.get(ctx, key, name, func(ctx context.Context, old *fileSet) (*fileSet, error) {
		made, err := h.looks.Make(ctx, look)
		if err != nil {
			return nil, err
		}
		if len(made) == 0 && old != nil {
			// While its maker works on the project, visitors see what last worked.
			kept := *old
			kept.name = name
			return &kept, nil
		}
		set := newFileSet(name, len(made))
		for _, file := range made {
			if isData("/" + file.Path) {
				continue // code that no visitor sees
			}
			control := noStore
			if file.Immutable {
				control = privateForEver
			}
			set.add(file.Path, newAsset(file.Path, file.Content, file.Immutable, control))
		}
		set.missing = set.files[missingPage]
		return set, nil
	})
}

// fail answers that the page cannot be shown at the moment.
func (h *lookHost) fail(w http.ResponseWriter, r *http.Request, look looks.Look, err error) {
	if r.Context().Err() == nil {
		h.log.ErrorContext(r.Context(), "could not serve a link to a preview", "request_id", w.Header().Get(requestid.Header), "project", look.Project, "error", err)
	}
	w.Header().Set("Retry-After", "5")
	showFailure(w, r, http.StatusServiceUnavailable, unavailable())
}

func underWork() notice {
	return notice{Title: "This page is being worked on", Text: "It does not work at the moment. Try again in a few minutes."}
}

func notShown() notice {
	return notice{Title: "This state cannot be shown", Text: "Its files do not make a page here. Restore the version in the studio to see it."}
}
