package functions

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/loglimit"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/functions"
	"github.com/atelierhq/atelier/ports/storage"
)

const (
	// adminChangesEvery is the interval of writing changes to the audit log: visitors decide how
	// often a function runs, and must not flood the log.
	adminChangesEvery = time.Minute
	// maxChangedIDs is how many records an entry names.
	maxChangedIDs = 5
)

// adminChanges counts what functions change of live data beyond the rights of their callers, and
// writes it to the audit log as the functions'. Every change is counted; those within an interval, of
// the same kind, share an entry.
type adminChanges struct {
	deps Deps
	warn *loglimit.Limiter

	mu      sync.Mutex
	pending map[changeKind]changedRecords
}

// changeKind is what the changes of one entry have in common.
type changeKind struct {
	project    core.ID
	function   string
	collection string
	verb       string
}

// changedRecords are the records of one entry. ids are the first of them.
type changedRecords struct {
	count int
	ids   []string
}

func newAdminChanges(deps Deps) *adminChanges {
	return &adminChanges{deps: deps, warn: loglimit.New(deps.Log, adminChangesEvery), pending: map[changeKind]changedRecords{}}
}

// note counts a request that the engine has answered, if it changed records.
func (a *adminChanges) note(project core.ID, function string, request functions.Request, answer []byte) {
	at, err := url.Parse(request.URL)
	if err != nil {
		return
	}
	if at.Path != "/api/batch" {
		a.add(project, function, request.Method, at.Path, answer)
		return
	}
	var batch struct {
		Requests []struct{ Method, URL string }
	}
	// A batch with files is a form, and its parts are counted as one change.
	if json.Unmarshal(request.Body, &batch) != nil {
		a.add(project, function, http.MethodPatch, "/api/collections/(a batch)/records/-", nil)
	}
	for _, part := range batch.Requests {
		path, _, _ := strings.Cut(part.URL, "?")
		a.add(project, function, strings.ToUpper(part.Method), path, nil)
	}
}

// add counts one change of a record, by the method and path of PocketBase's interface.
func (a *adminChanges) add(project core.ID, function, method, path string, answer []byte) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if len(parts) < 4 || len(parts) > 5 || parts[1] != "collections" || parts[3] != "records" {
		return
	}
	of := changeKind{project, function, parts[2], ""}
	switch method {
	case http.MethodPost:
		of.verb = "created"
	case http.MethodPut, http.MethodPatch:
		of.verb = "changed"
	case http.MethodDelete:
		of.verb = "deleted"
	default:
		return
	}
	var made struct{ ID string }
	if len(parts) == 5 {
		made.ID = parts[4]
	} else if json.Unmarshal(answer, &made) != nil {
		made.ID = ""
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.merge(of, changedRecords{1, []string{made.ID}})
}

// merge adds to what is pending. a.mu is held.
func (a *adminChanges) merge(of changeKind, more changedRecords) {
	all := a.pending[of]
	all.count += more.count
	for _, id := range more.ids {
		if id != "" && len(all.ids) < maxChangedIDs && !slices.Contains(all.ids, id) {
			all.ids = append(all.ids, id)
		}
	}
	a.pending[of] = all
}

// run writes at every interval until ctx ends.
func (a *adminChanges) run(ctx context.Context) {
	ticker := time.NewTicker(adminChangesEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			a.write(ctx)
		}
	}
}

// write writes what is pending. What could not be written is tried again with the next.
func (a *adminChanges) write(ctx context.Context) {
	a.mu.Lock()
	pending := a.pending
	a.pending = map[changeKind]changedRecords{}
	a.mu.Unlock()
	for of, records := range pending {
		err := a.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
			project, err := tables.Projects.ByID(ctx, of.project)
			if core.IsCode(err, core.CodeNotFound) {
				return nil // it has been deleted since
			}
			if err != nil {
				return err
			}
			return a.deps.Audit.Record(ctx, tables, core.Actor{}, project.WorkspaceID, core.AuditLiveDataChanged, records.words(project, of))
		})
		if err != nil {
			a.warn.Warn(ctx, "could not write changes of live data to the audit log; they are tried again", "project", of.project, "function", of.function, "error", err)
			a.mu.Lock()
			a.merge(of, records)
			a.mu.Unlock()
		}
	}
}

// words says what a function changed.
func (r changedRecords) words(project core.Project, of changeKind) string {
	what := "a record"
	if r.count > 1 {
		what = fmt.Sprintf("%d records", r.count)
	}
	text := fmt.Sprintf("%s: the function %q %s %s of %s", project.Name, of.function, of.verb, what, of.collection)
	if len(r.ids) > 0 {
		text += ": " + strings.Join(r.ids, ", ")
	}
	if r.count > len(r.ids) && len(r.ids) > 0 {
		text += ", …"
	}
	return text
}

// isLive reports whether a place has live data, and not a copy of it.
func isLive(place backend.Place) bool { return place.Env == core.DataLive && place.Copy == "" }
