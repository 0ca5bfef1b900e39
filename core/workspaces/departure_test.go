package workspaces_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// leaveAll takes a person out of all workspaces, tells everybody, and deletes the person.
func (c *crew) leaveAll(who core.Actor) error {
	c.t.Helper()
	var announce func(context.Context)
	err := c.store.InTx(c.t.Context(), func(ctx context.Context, tables storage.Tables) (err error) {
		if announce, err = c.members.LeaveAll(ctx, tables, who, who.UserID); err != nil {
			return err
		}
		return tables.Users.Delete(ctx, who.UserID)
	})
	if err == nil {
		announce(c.t.Context())
	}
	return err
}

// space makes a workspace of founder with guests.
func (c *crew) space(name string, personal bool, founder core.Actor, guests map[core.ID]core.Role) core.Workspace {
	c.t.Helper()
	space := core.NewWorkspace(name, personal, nil, 3000)
	c.must(c.store.Tables().Workspaces.Create(c.t.Context(), space))
	c.must(c.store.Tables().Workspaces.PutMember(c.t.Context(), core.Membership{WorkspaceID: space.ID, UserID: founder.UserID, Role: core.RoleOwner, JoinedAt: 3000}))
	for guest, role := range guests {
		c.must(c.store.Tables().Workspaces.PutMember(c.t.Context(), core.Membership{WorkspaceID: space.ID, UserID: guest, Role: role, JoinedAt: 4000}))
	}
	return space
}

func (c *crew) projectIn(space core.ID, slug string, alter func(*core.Project)) core.ID {
	c.t.Helper()
	project := core.Project{ID: core.NewID(), WorkspaceID: space, Slug: slug, Name: slug, Visibility: core.VisibilityPrivate, CreatedBy: c.nobody.UserID}
	if alter != nil {
		alter(&project)
	}
	c.must(c.store.Tables().Projects.Create(c.t.Context(), project))
	return project.ID
}

// webhook makes one that is told of changed members.
func (c *crew) webhook(space core.ID) core.ID {
	c.t.Helper()
	webhook := core.Webhook{ID: core.NewID(), WorkspaceID: space, URL: "https://hooks.example", Events: []core.WebhookEvent{core.WebhookMemberChanged}, CreatedBy: c.owner.UserID, CreatedAt: 1}
	c.must(c.store.Tables().Webhooks.Create(c.t.Context(), webhook))
	return webhook.ID
}

func TestNobodyLeavesAWorkspaceOfOthersWithoutAnOwner(t *testing.T) {
	c := newCrew(t)
	own := c.space("Ada's own", true, c.owner, map[core.ID]core.Role{c.member.UserID: core.RoleOwner})
	alone := c.space("Alone", false, c.owner, nil)
	err := c.leaveAll(c.owner)
	wantSpaceCode(t, "the last owner", err, core.CodeConflict)
	if told := fmt.Sprint(err); !strings.Contains(told, `"Team"`) || !strings.Contains(told, `"Ada's own"`) || strings.Contains(told, "Alone") {
		t.Errorf("got %v, want the workspaces that others belong to, and no other", err)
	}
	c.wantRole("the owner", c.owner, core.RoleOwner)
	_, err = c.store.Tables().Workspaces.ByID(t.Context(), alone.ID)
	c.must(err)
	c.must(c.members.Remove(t.Context(), c.owner, own.ID, c.member.UserID))
	_, err = c.members.Transfer(t.Context(), c.owner, c.workspace.ID, c.admin.UserID)
	c.must(err)
	c.must(c.leaveAll(c.owner))
	c.wantRole("who left", c.owner, core.RoleNone)
	c.wantRole("who stays", c.admin, core.RoleOwner)
	for _, gone := range []core.ID{own.ID, alone.ID} {
		_, err := c.store.Tables().Workspaces.ByID(t.Context(), gone)
		wantSpaceCode(t, "an empty workspace", err, core.CodeNotFound)
	}
}

func TestWhoLeavesForGoodTakesAlongOnlyWhatWasTheirsAlone(t *testing.T) {
	c := newCrew(t)
	c.enter(c.nobody, core.RoleAdmin)
	shared := c.projectIn(c.workspace.ID, "theirs", nil)
	alone := c.space("Alone", true, c.nobody, nil)
	live := c.projectIn(alone.ID, "live", nil)
	dead := c.projectIn(alone.ID, "dead", func(p *core.Project) { p.DeletedAt = new(core.Time(5)) })
	made := c.projectIn(alone.ID, "copy", func(p *core.Project) { p.CopyOf = &live })
	sent, _, err := c.invites.Create(t.Context(), c.nobody, c.workspace.ID, "guest@example.com", core.RoleMember)
	c.must(err)
	kept, _, err := c.invites.Create(t.Context(), c.owner, c.workspace.ID, "other@example.com", core.RoleMember)
	c.must(err)
	follow := func(project core.ID) <-chan *core.Notice {
		notices, err := c.bus.Follow(t.Context(), project)
		c.must(err)
		return notices
	}
	told, silenced := c.webhook(c.workspace.ID), c.webhook(alone.ID)
	ofShared, ofLive, version := follow(shared), follow(live), c.version()
	c.must(c.leaveAll(c.nobody))
	for _, id := range []core.ID{live, dead, made} {
		project, err := c.store.Tables().Projects.ByID(t.Context(), id)
		if err != nil || !project.Purging || project.DeletedAt == nil {
			t.Errorf("got %+v, %v, want it marked as being removed", project, err)
		}
	}
	project, err := c.store.Tables().Projects.ByID(t.Context(), shared)
	if err != nil || project.Purging || project.DeletedAt != nil || project.CreatedBy != c.nobody.UserID {
		t.Errorf("got %+v, %v, want it untouched", project, err)
	}
	_, err = c.store.Tables().Invites.ByID(t.Context(), sent.ID)
	wantSpaceCode(t, "an invite of theirs", err, core.CodeNotFound)
	_, err = c.store.Tables().Invites.ByID(t.Context(), kept.ID)
	wantSpaceCode(t, "an invite of somebody else", err, "")
	c.wantAudited(core.AuditMemberRemoved, "nobody@example.com")
	delivered, err := c.store.Tables().WebhookDeliveries.List(t.Context(), told, core.Page{Limit: 9})
	if err != nil || len(delivered) != 1 || !strings.Contains(delivered[0].Payload, string(c.nobody.UserID)) {
		t.Errorf("got the deliveries %+v, %v, want one of the removal", delivered, err)
	}
	_, err = c.store.Tables().Webhooks.ByID(t.Context(), silenced)
	wantSpaceCode(t, "a webhook of what goes", err, core.CodeNotFound)
	if c.version() <= version {
		t.Error("got the version from before, want the previews to get new addresses")
	}
	if len(ofShared) == 0 || len(ofLive) == 0 {
		t.Errorf("got %d and %d notices, want the followers of both projects told", len(ofShared), len(ofLive))
	}
	if !slices.Contains(c.runs.calls, fmt.Sprint(shared, " ", c.nobody.UserID)) {
		t.Errorf("got %v stopped, want their runs in the shared project", c.runs.calls)
	}
	if c.woken.Load() != 1 {
		t.Errorf("got the trash woken %d times, want once", c.woken.Load())
	}
}

// TestALargeWorkspaceIsRemovedAsAWhole has more projects than a page.
func TestALargeWorkspaceIsRemovedAsAWhole(t *testing.T) {
	c := newCrew(t)
	alone := c.space("Alone", false, c.nobody, nil)
	for i := range core.MaxPageLimit + 5 {
		c.projectIn(alone.ID, fmt.Sprint("p", i), nil)
	}
	c.must(c.leaveAll(c.nobody))
	marked, err := c.store.Tables().Projects.List(t.Context(), storage.ProjectFilter{Purging: true}, core.Page{Limit: 1000})
	if err != nil || len(marked) != core.MaxPageLimit+5 {
		t.Errorf("got %d projects marked, %v, want all %d", len(marked), err, core.MaxPageLimit+5)
	}
}

func TestOfOwnersWhoLeaveAtOnceOneStays(t *testing.T) {
	c := newCrew(t)
	second := c.person("second")
	c.enter(second, core.RoleOwner)
	errs := make(chan error, 2)
	for _, who := range []core.Actor{c.owner, second} {
		go func() { errs <- c.leaveAll(who) }()
	}
	refused := 0
	for range 2 {
		if err := <-errs; err != nil {
			wantSpaceCode(t, "the other", err, core.CodeConflict)
			refused++
		}
	}
	owners, err := c.store.Tables().Members.Owners(t.Context(), c.workspace.ID)
	if err != nil || owners != 1 || refused != 1 {
		t.Errorf("got %d owners and %d refusals, %v, want one of each", owners, refused, err)
	}
}
