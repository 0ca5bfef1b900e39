package instance_test

import (
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/instance"
)

// space makes a workspace that somebody owns.
func (h *house) space(name string, owner core.Actor) core.ID {
	h.t.Helper()
	limit := 5.0
	made := core.NewWorkspace(name, false, &limit, core.At(h.now))
	tables := h.store.Tables()
	h.must(tables.Workspaces.Create(h.t.Context(), made))
	h.must(tables.Workspaces.PutMember(h.t.Context(), core.Membership{WorkspaceID: made.ID, UserID: owner.UserID, Role: core.RoleOwner}))
	return made.ID
}

// bounded is an installation whose environment fixes how many projects there may be.
func bounded(t *testing.T) (h *house, admin, owner core.Actor, space core.ID) {
	h = newHouse(t, instance.Environment{Preset: core.SignupOpen, CreditLimit: new(5.0), Quotas: core.Quotas{
		Projects: 500, Members: 50, Bytes: 2 << 30, Fixed: map[core.QuotaName]string{core.QuotaProjects: "MAX_PROJECTS_PER_WORKSPACE"},
	}})
	admin, owner = h.live("ada@example.com"), h.live("bob@example.com")
	return h, admin, owner, h.space("Team", owner)
}

func TestAnAdminSeesWhatAWorkspaceUsesAndMay(t *testing.T) {
	h, admin, owner, id := bounded(t)
	for query, want := range map[string]int{"": 1, "tea": 1, "bob@": 1, "nobody": 0} {
		found, err := h.spaces.List(t.Context(), admin, query, core.Page{Limit: 10})
		if err != nil || len(found) != want {
			t.Errorf("%q: got %+v, %v, want %d", query, found, err, want)
		}
	}
	found, err := h.spaces.List(t.Context(), admin, "", core.Page{Limit: 10})
	h.must(err)
	got := found[0]
	if got.ID != id || got.Owner != "bob@example.com" || got.Members != 1 || got.GivenCredit != nil || *got.CreditLimit != 5 {
		t.Errorf("got %+v, want Bob's team with the default credit", got)
	}
	if *got.Quotas[core.QuotaProjects] != 500 || got.Quotas[core.QuotaRuns] != nil || got.GivenQuotas[core.QuotaProjects] != nil {
		t.Errorf("got %v and %v, want the environment's quotas and none given", got.Quotas, got.GivenQuotas)
	}
	_, err = h.spaces.List(t.Context(), owner, "", core.Page{Limit: 10})
	h.wantCode("its owner", err, core.CodeForbidden)
}

func TestAnAdminGivesCreditAndQuotas(t *testing.T) {
	h, admin, owner, id := bounded(t)
	give := func(by core.Actor, change instance.SpaceChange) (instance.Space, error) {
		return h.spaces.Update(t.Context(), by, id, change)
	}
	credit := new(20.0)
	got, err := give(admin, instance.SpaceChange{Credit: &credit, Quotas: map[core.QuotaName]*int64{core.QuotaProjects: new(int64(10)), core.QuotaRuns: new(int64(2))}})
	h.must(err)
	if *got.CreditLimit != 20 || *got.GivenCredit != 20 || *got.Quotas[core.QuotaProjects] != 10 || *got.GivenQuotas[core.QuotaRuns] != 2 {
		t.Errorf("got %+v, want what was given in force", got)
	}
	log, err := h.store.Tables().Audit.List(t.Context(), id, core.Page{Limit: 10})
	if err != nil || len(log) != 1 || log[0].Target != "creditLimit: 20.00 USD, projectsPerWorkspace: 10, runsAtOnce: 2" || log[0].Actor != nil {
		t.Errorf("got %+v, %v, want one entry that names no admin", log, err)
	}
	for what, quotas := range map[string]map[core.QuotaName]*int64{
		"more than the environment": {core.QuotaProjects: new(int64(501))},
		"nothing":                   {core.QuotaMembers: new(int64(0))},
		"more than there is":        {core.QuotaMembers: new(int64(1_000_001))},
		"a project without room":    {core.QuotaBytes: new(int64(1000))},
		"an unknown quota":          {"storage": new(int64(1))},
	} {
		_, err := give(admin, instance.SpaceChange{Quotas: quotas})
		h.wantCode(what, err, core.CodeValidationFailed)
	}
	debt := new(-1.0)
	_, err = give(admin, instance.SpaceChange{Credit: &debt})
	h.wantCode("a debt", err, core.CodeValidationFailed)
	_, err = give(owner, instance.SpaceChange{Credit: &credit})
	h.wantCode("its owner", err, core.CodeForbidden)
	_, err = h.spaces.Update(t.Context(), admin, core.NewID(), instance.SpaceChange{Credit: &credit})
	h.wantCode("no workspace", err, core.CodeNotFound)

	var none *float64
	got, err = give(admin, instance.SpaceChange{Credit: &none, Quotas: map[core.QuotaName]*int64{core.QuotaProjects: nil, core.QuotaRuns: nil}})
	if err != nil || *got.CreditLimit != 5 || got.GivenCredit != nil || *got.Quotas[core.QuotaProjects] != 500 || got.Quotas[core.QuotaRuns] != nil {
		t.Errorf("got %+v, %v, want the defaults again", got, err)
	}
}
