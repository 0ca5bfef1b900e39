package backends_test

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/core/builds"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/packages"
	"github.com/atelierhq/atelier/ports/storage"
)

// pages builds a project whose sources are wrong.
type pages struct{}

func (pages) View(context.Context, core.ID) (fs.FS, error) {
	return fstest.MapFS{"index.html": {Data: []byte("<p>")}, "package.json": {Data: []byte("{}")}}, nil
}

func (pages) Public(context.Context, core.ID) (map[string]string, error) { return nil, nil }

func (pages) Exposed(context.Context, core.ID, []build.File) ([]core.Diagnostic, error) {
	return nil, nil
}

func (pages) Install(context.Context, map[string]string) (packages.Set, error) {
	return packages.Set{}, nil
}

func (pages) ViteConfig(context.Context, fs.FS, map[string]string) (build.ViteConfig, error) {
	return build.ViteConfig{}, nil
}

func (pages) Build(context.Context, build.Request) (build.Result, error) {
	return build.Result{Diagnostics: []core.Diagnostic{{Path: "src/main.ts", Message: "a mistake"}}}, nil
}

func TestAPendingPlanDoesNotHideTheMistakesOfABuild(t *testing.T) {
	h := newHouse(t)
	h.write(core.BackendSchemaPath, notes(textField))
	h.add(core.DataTest, `{"text": "dear to me"}`)
	h.write(core.BackendSchemaPath, notes(starsField))
	maker := backends.NewMaker(builds.NewMaker(builds.Deps{Sources: pages{}, Environment: pages{}, Resolver: pages{}, Builder: pages{}}), h.Service, slog.New(slog.DiscardHandler))
	made, err := maker.Make(t.Context(), h.project, build.ModeSite)
	if err != nil || len(made.Diagnostics) != 2 || made.Diagnostics[0].Path != core.BackendSchemaPath || made.Diagnostics[1].Path != "src/main.ts" {
		t.Errorf("got %+v, %v, want the pending plan and the mistake", made, err)
	}
}

func TestAPlanIsAcceptedWithTheNumbersThatWereShown(t *testing.T) {
	h := newHouse(t)
	h.write(core.BackendSchemaPath, notes(textField))
	h.must(h.publish("", true))
	h.add(core.DataTest, `{"text": "one"}`)
	h.add(core.DataLive, `{"text": "one"}`)
	h.write(core.BackendSchemaPath, notes(starsField))
	status, err := h.Status(t.Context(), h.member, h.project)
	h.must(err)
	test := status.Environments.Test.Pending.ID
	known := new(core.Error)
	if !errors.As(h.publish("", true), &known) || known.Plan == nil {
		t.Fatal("got no plan for live data")
	}
	h.add(core.DataTest, `{"text": "two"}`)
	h.add(core.DataLive, `{"text": "two"}`)
	h.wantCode(h.ApplyPending(t.Context(), h.member, h.project, test), core.CodeConflict)
	err = h.publish(known.Plan.ID, true)
	h.wantCode(err, core.CodeDataLoss)
	if errors.As(err, &known); known.Plan.Steps[0].Records != 2 {
		t.Fatalf("got %+v, want the plan with the present number", known.Plan)
	}
	if got := h.told(core.AuditLiveDataChanged); len(got) != 0 {
		t.Errorf("got %v in the audit log before anything was lost", got)
	}
	h.must(h.publish(known.Plan.ID, true))
	if got := h.told(core.AuditLiveDataChanged); len(got) != 1 || !strings.Contains(got[0], "text") || !strings.Contains(got[0], "2") {
		t.Errorf("got %v in the audit log, want the field and the number of records", got)
	}
}

// told are the entries of the workspace's audit log about an action.
func (h *house) told(action core.AuditAction) (targets []string) {
	h.t.Helper()
	project, err := h.store.Tables().Projects.ByID(h.t.Context(), h.project)
	h.must(err)
	entries, err := h.store.Tables().Audit.List(h.t.Context(), project.WorkspaceID, core.Page{Limit: 100})
	h.must(err)
	for _, entry := range entries {
		if entry.Action == action {
			targets = append(targets, entry.Target)
		}
	}
	return targets
}

func TestASeedIsMadeWhollyOrNotAtAll(t *testing.T) {
	h := newHouse(t)
	const wrong = `{"notes": [{"text": "first"}, {"text": "second"}, {"stars": "many"}]}`
	h.write(core.BackendSeedPath, wrong)
	h.write(core.BackendSchemaPath, notes(textField, `{"name": "stars", "type": "number", "max": 5}`, `{"name": "kind", "type": "text", "required": true}`))
	for _, seed := range []string{wrong, `{"notes": [{"text": "first", "kind": "a"}, {"text": "second"}]}`} {
		h.write(core.BackendSeedPath, seed)
		found, err := h.Sync(t.Context(), h.project)
		if err != nil || len(found) != 1 || found[0].Path != core.BackendSeedPath {
			t.Errorf("got %v, %v, want a diagnostic of the seed", found, err)
		}
		if got := h.records(core.DataTest); len(got) != 0 {
			t.Errorf("got %v, want no record", got)
		}
	}
	h.write(core.BackendSeedPath, `{"notes": [{"text": "first", "kind": "a"}, {"text": "second", "kind": "b"}]}`)
	if got := h.records(core.DataTest); len(got) != 2 {
		t.Errorf("got %v, want both records of the mended seed", got)
	}
}

// slowEngine tells when a copy of live data is attacked, and waits.
type slowEngine struct {
	backends.Engine
	attacked, proceed chan struct{}
}

func (e *slowEngine) Apply(ctx context.Context, place backend.Place, schema backend.Schema) error {
	if place.Copy != "" && e.attacked != nil {
		close(e.attacked)
		e.attacked = nil
		<-e.proceed
	}
	return e.Engine.Apply(ctx, place, schema)
}

// slowly gives the house an engine whose first attack waits.
func (h *house) slowly() *slowEngine {
	engine := &slowEngine{h.engine, make(chan struct{}), make(chan struct{})}
	h.Service = backends.New(backends.Deps{
		Store: h.store, Gate: h.gate, Files: h.pipeline, Engine: engine, Audit: h.audit, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	return engine
}

func TestPreviewsDoNotWaitForTheAttackOfAPublish(t *testing.T) {
	h := newHouse(t)
	h.write(core.BackendSchemaPath, notes(textField))
	h.add(core.DataTest, `{"text": "one"}`)
	engine := h.slowly()
	attacked := engine.attacked
	published := make(chan error)
	go func() { published <- h.publish("", true) }()
	<-attacked
	h.write(core.BackendSchemaPath, notes(textField, starsField))
	if status, answer := h.ask(core.DataTest, http.MethodPost, "", `{"text": "two", "stars": 3}`); status != http.StatusOK || answer["stars"] != 3.0 {
		t.Errorf("got %d %v during the attack, want a record with the new field", status, answer)
	}
	close(engine.proceed)
	h.must(<-published)
	live, err := h.engine.Schema(t.Context(), backend.Place{Project: h.project, Env: core.DataLive})
	if err != nil || !slices.ContainsFunc(live.Collections[0].Fields, func(field backend.Field) bool { return field.Name == "stars" }) {
		t.Errorf("got %+v, %v, want the schema that was examined at last", live, err)
	}
}

func TestAFindingIsAcceptedOnlyWithThePublish(t *testing.T) {
	h := newHouse(t)
	h.write(core.BackendSchemaPath, leads(""))
	finding := h.refused(h.release())
	release := backends.Release{Project: h.project, Deployment: core.NewID(), By: h.member, AcceptFindings: []core.ID{finding.ID}}
	change, err := h.Stage(t.Context(), release)
	h.must(err)
	h.must(change.Settle(t.Context())) // the deployment was not recorded
	if again := h.refused(h.release()); again.ID != finding.ID || h.acceptances() != 0 {
		t.Errorf("got %+v and %d acceptances, want the finding asked again", again, h.acceptances())
	}
	failed := errors.New("the record cannot be changed")
	change, err = h.Stage(t.Context(), release)
	h.must(err)
	err = h.store.InTx(t.Context(), func(ctx context.Context, tables storage.Tables) error {
		return errors.Join(change.Record(ctx, tables), failed)
	})
	if !errors.Is(err, failed) || strings.Contains(err.Error(), "\n") || h.acceptances() != 0 {
		t.Errorf("got %v and %d acceptances, want none of a transaction that failed", err, h.acceptances())
	}
	h.must(change.Settle(t.Context()))
	h.must(h.release(finding.ID))
	if got := h.acceptances(); got != 1 {
		t.Errorf("got %d acceptances after the publish, want 1", got)
	}
}
