package workspaces_test

import (
	"context"
	"slices"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/workspaces"
	"github.com/atelierhq/atelier/ports/storage"
)

// group lets the groups of a company give a person a role, RoleNone for none any more.
func (c *crew) group(provider core.ID, who core.Actor, role core.Role) {
	c.t.Helper()
	person, err := c.store.Tables().Users.ByID(c.t.Context(), who.UserID)
	c.must(err)
	groups := workspaces.GroupRoles{Provider: core.CompanyProvider{ID: provider, Name: "Company"}, Person: person}
	if role != core.RoleNone {
		groups.Roles = map[core.ID]core.Role{c.workspace.ID: role}
	}
	c.must(c.store.InTx(c.t.Context(), func(ctx context.Context, tables storage.Tables) error {
		_, err := c.members.ApplyGroups(ctx, tables, who, groups)
		return err
	}))
}

// TestWhatLetsOthersInEndsWithTheMembership holds for every way out, and for who comes back.
func TestWhatLetsOthersInEndsWithTheMembership(t *testing.T) {
	provider := core.NewID()
	for what, way := range map[string]struct{ in, out func(c *crew) }{
		"removed":              {out: func(c *crew) { c.must(c.members.Remove(t.Context(), c.owner, c.workspace.ID, c.nobody.UserID)) }},
		"left":                 {out: func(c *crew) { c.must(c.members.Remove(t.Context(), c.nobody, c.workspace.ID, c.nobody.UserID)) }},
		"with their account":   {out: func(c *crew) { c.must(c.leaveAll(c.nobody)) }},
		"by a company's group": {in: func(c *crew) { c.group(provider, c.nobody, core.RoleAdmin) }, out: func(c *crew) { c.group(provider, c.nobody, core.RoleNone) }},
	} {
		c := newCrew(t)
		if way.in == nil {
			way.in = func(c *crew) { c.enter(c.nobody, core.RoleAdmin) }
		}
		tables := c.store.Tables()
		c.must(tables.CompanyProviders.Create(t.Context(), core.CompanyProvider{ID: provider, Slug: "company", Name: "Company", Issuer: "https://id.example"}))
		way.in(c)
		share := func(who core.Actor) core.ID {
			link := core.PreviewLink{ID: core.NewID(), ProjectID: c.project, Kind: core.LinkShare, CreatedBy: who.UserID, ExpiresAt: 1 << 50}
			c.must(tables.PreviewLinks.Create(t.Context(), link))
			return link.ID
		}
		theirs, others := share(c.nobody), share(c.owner)
		sent, kept := c.invite(c.nobody, "friend@example.com", core.RoleMember), c.invite(c.owner, "other@example.com", core.RoleMember)
		way.out(c)
		if _, err := tables.Users.ByID(t.Context(), c.nobody.UserID); err == nil {
			c.enter(c.nobody, core.RoleAdmin)
		}
		_, err := tables.PreviewLinks.ByID(t.Context(), theirs)
		wantSpaceCode(t, what+": a link of theirs", err, core.CodeNotFound)
		_, err = tables.PreviewLinks.ByID(t.Context(), others)
		wantSpaceCode(t, what+": a link of somebody else", err, "")
		_, err = tables.Invites.ByID(t.Context(), sent.ID)
		wantSpaceCode(t, what+": an invite of theirs", err, core.CodeNotFound)
		_, err = tables.Invites.ByID(t.Context(), kept.ID)
		wantSpaceCode(t, what+": an invite of somebody else", err, "")
		log, err := tables.Audit.List(t.Context(), c.workspace.ID, core.Page{Limit: 9})
		if told := func(e core.AuditEntry) bool {
			return e.Action == core.AuditPreviewUnshared && e.Target == "all by nobody@example.com: 1"
		}; err != nil || !slices.ContainsFunc(log, told) {
			t.Errorf("%s: got %+v, %v, want the links in the log", what, log, err)
		}
	}
}
