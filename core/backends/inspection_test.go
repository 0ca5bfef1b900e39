package backends_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/ports/backend"
)

// leads is a schema in which guests read telephone numbers by a rule.
func leads(rule string) string {
	return `{"collections": [{"name": "notes", "listRule": "` + rule + `", "fields": [` + textField + `, {"name": "phone", "type": "text"}]}]}`
}

// release is publish with accepted findings.
func (h *house) release(accepted ...core.ID) error {
	h.t.Helper()
	deployment := core.Deployment{ID: core.NewID(), ProjectID: h.project, Slug: "shop", Status: core.DeploymentLive, CreatedAt: core.At(time.Now())}
	change, err := h.Stage(h.t.Context(), backends.Release{Project: h.project, Deployment: deployment.ID, By: h.member, AcceptFindings: accepted})
	if err != nil {
		return err
	}
	h.record(change, deployment)
	return change.Settle(context.WithoutCancel(h.t.Context()))
}

// refused returns the finding for which a release was refused.
func (h *house) refused(err error) core.Finding {
	h.t.Helper()
	h.wantCode(err, core.CodeOpenData)
	var known *core.Error
	if !errors.As(err, &known) || len(known.Findings) != 1 {
		h.t.Fatalf("got %v, want one finding", err)
	}
	return known.Findings[0]
}

// acceptances counts the entries of the security log about accepted findings.
func (h *house) acceptances() int {
	h.t.Helper()
	project, err := h.store.Tables().Projects.ByID(h.t.Context(), h.project)
	h.must(err)
	log, err := h.audit.List(h.t.Context(), h.admin, project.WorkspaceID, core.Page{Limit: 10})
	h.must(err)
	return len(slices.DeleteFunc(log, func(entry core.AuditEntry) bool { return entry.Action != core.AuditFindingAccepted }))
}

func TestOpenDataIsPublishedOnlyOnceAPersonAccepts(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.write(core.BackendSchemaPath, leads(""))
	first := h.refused(h.release())
	if !slices.Equal(first.Fields, []string{"phone"}) || first.As != core.AttackGuest {
		t.Errorf("found %+v", first)
	}
	if _, err := h.engine.Schema(t.Context(), backend.Place{Project: h.project, Env: core.DataLive}); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("after the refusal the live schema returned %v", err)
	}
	h.refused(h.release(core.NewID()))
	h.must(h.release(first.ID))
	h.must(h.release())
	if got := h.acceptances(); got != 1 {
		t.Errorf("the security log has %d acceptances, want 1", got)
	}
	h.write(core.BackendSchemaPath, leads("id != ''"))
	if second := h.refused(h.release(first.ID)); second.ID == first.ID {
		t.Error("the finding kept its id though the rule changed")
	}
	h.write(core.BackendSchemaPath, leads("@request.auth.id = 'nobody'"))
	h.must(h.release())
}

func TestCheckAttacksTestData(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	if _, err := h.Check(t.Context(), h.member, h.project); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("without a backend Check returned %v", err)
	}
	h.write(core.BackendSchemaPath, leads(""))
	found, err := h.Check(t.Context(), h.member, h.project)
	if err != nil || len(found) != 1 || found[0].Severity != core.FindingHigh {
		t.Errorf("Check returned %+v, %v", found, err)
	}
	_, err = h.Check(t.Context(), h.nobody, h.project)
	h.wantCode(err, core.CodeNotFound)
}
