package workspaces

import (
	"context"
	"errors"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/addresses"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/ports/storage"
)

// Reclaim undoes what was done in the name of an account before its address was verified,
// in the transaction that verifies it. The account's creator may be an attacker who
// prepared it for the address's owner. In every workspace that the account founded and
// still owns:
//
//   - everybody else leaves, and invites are void;
//   - AI providers, webhooks, connectors and the projects' git remotes go, because the person who
//     put them there reads what is sent to them, and so do the hosts that commands may reach;
//   - sites go offline and free their addresses, claims of domains are dropped, and
//     public projects become the workspace's, because strangers would read what is added;
//   - links to previews end, and sites with a password become the workspace's, because the person
//     who made them knows both.
//
// In other workspaces, the invites that the account sent become invalid. Files, chats,
// versions and environment values stay.
//
// announce, to be called once the transaction has committed, tells the people concerned
// and stops the agent's runs for removed members.
func (m *Members) Reclaim(ctx context.Context, tables storage.Tables, by core.Actor, person core.ID) (announce func(context.Context), err error) {
	spaces, err := tables.Workspaces.OfUser(ctx, person)
	if err != nil {
		return nil, err
	}
	gone := map[core.ID][]core.ID{}
	for _, space := range spaces {
		if space.Role != core.RoleOwner || !(core.Member{JoinedAt: space.JoinedAt}).Founded(space.Workspace) {
			if err := dropInvites(ctx, tables, space.ID, person); err != nil {
				return nil, err
			}
			continue
		}
		r := reclaimer{tables: tables, log: m.Audit, by: by, person: person, workspace: space.ID, now: core.At(m.Store.Now())}
		if gone[space.ID], err = r.all(ctx); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context) {
		for workspace, members := range gone {
			for _, member := range append(members, person) {
				m.announce(ctx, workspace, member)
			}
		}
	}, nil
}

// dropInvites deletes the invites of a sender, "" for all senders.
func dropInvites(ctx context.Context, tables storage.Tables, workspace, sender core.ID) error {
	invites, err := tables.Invites.List(ctx, storage.InviteFilter{WorkspaceID: workspace})
	for _, invite := range invites {
		if sender == "" || invite.InvitedBy == sender {
			err = errors.Join(err, tables.Invites.Delete(ctx, invite.ID))
		}
	}
	return err
}

// reclaimer is the work on one workspace.
type reclaimer struct {
	tables            storage.Tables
	log               *audit.Log
	by                core.Actor
	person, workspace core.ID
	now               core.Time
}

// all reclaims the workspace and returns the removed members.
func (r reclaimer) all(ctx context.Context) ([]core.ID, error) {
	gone, err := r.members(ctx)
	if err != nil {
		return nil, err
	}
	if err := dropInvites(ctx, r.tables, r.workspace, ""); err != nil {
		return nil, err
	}
	if err := r.connections(ctx); err != nil {
		return nil, err
	}
	for _, deleted := range []bool{false, true} {
		if err := r.projects(ctx, deleted); err != nil {
			return nil, err
		}
	}
	// A new version gives the previews new addresses.
	_, err = r.tables.Workspaces.Update(ctx, r.workspace, func(space *core.Workspace) error {
		space.MembersVersion++
		space.CommandHosts, space.Knowledge = nil, ""
		return nil
	})
	return gone, err
}

func (r reclaimer) record(ctx context.Context, action core.AuditAction, target string) error {
	return r.log.Record(ctx, r.tables, r.by, r.workspace, action, target)
}

func (r reclaimer) members(ctx context.Context) (gone []core.ID, err error) {
	members, err := r.tables.Members.List(ctx, r.workspace)
	if err != nil {
		return nil, err
	}
	for _, member := range members {
		if member.UserID == r.person {
			continue
		}
		if err := r.tables.Members.Remove(ctx, r.workspace, member.UserID); err != nil {
			return nil, err
		}
		if err := r.record(ctx, core.AuditMemberRemoved, member.Email); err != nil {
			return nil, err
		}
		gone = append(gone, member.UserID)
	}
	return gone, nil
}

// connections deletes what carries the workspace's content to places that the person chose.
func (r reclaimer) connections(ctx context.Context) error {
	t := r.tables
	return errors.Join(
		dropEach(ctx, r, core.AuditProviderDeleted, t.Providers.List, t.Providers.Delete, func(p core.Provider) (core.ID, string) { return p.ID, p.Name }),
		dropEach(ctx, r, core.AuditWebhookDeleted, t.Webhooks.List, t.Webhooks.Delete, func(w core.Webhook) (core.ID, string) { return w.ID, w.Description }),
		dropEach(ctx, r, core.AuditConnectorDeleted, t.Connectors.List, t.Connectors.Delete, func(c core.Connector) (core.ID, string) { return c.ID, c.Name }),
	)
}

// dropEach deletes each record of a kind that the workspace has, with an entry in the audit log.
func dropEach[R any](
	ctx context.Context, r reclaimer, action core.AuditAction,
	list func(context.Context, core.ID) ([]R, error), drop func(context.Context, core.ID) error, of func(R) (id core.ID, name string),
) error {
	all, err := list(ctx, r.workspace)
	if err != nil {
		return err
	}
	for _, record := range all {
		id, name := of(record)
		if err := drop(ctx, id); err != nil {
			return err
		}
		if err := r.record(ctx, action, name); err != nil {
			return err
		}
	}
	return nil
}

// projects makes everything that the projects publish private.
func (r reclaimer) projects(ctx context.Context, deleted bool) error {
	filter := storage.ProjectFilter{Member: r.person, Workspace: r.workspace, Deleted: deleted, Copies: true, AnyFactor: true}
	page := core.Page{Limit: core.MaxPageLimit}
	for {
		projects, err := r.tables.Projects.List(ctx, filter, page)
		if err != nil {
			return err
		}
		for _, project := range projects {
			if err := r.project(ctx, project); err != nil {
				return err
			}
		}
		if len(projects) < page.Limit {
			return nil
		}
		last := projects[len(projects)-1]
		page.Before = &core.Position{CreatedAt: last.CreatedAt, ID: last.ID}
	}
}

func (r reclaimer) project(ctx context.Context, project core.Project) error {
	claims, err := r.tables.Domains.List(ctx, project.ID)
	if err != nil {
		return err
	}
	for _, claim := range claims {
		if err := r.tables.Domains.Delete(ctx, claim.ID); err != nil {
			return err
		}
		if err := r.record(ctx, core.AuditDomainRemoved, claim.Name+" for "+project.Name); err != nil {
			return err
		}
	}
	_, slug, err := addresses.TakeDown(ctx, r.tables, project.ID, r.now)
	if err == nil && slug != "" {
		err = r.record(ctx, core.AuditProjectUnpublished, project.Name)
	}
	if err == nil {
		err = errors.Join(r.links(ctx, project), r.sitePassword(ctx, project), r.remote(ctx, project))
	}
	public := project.Visibility == core.VisibilityPublic
	if err != nil || len(claims) == 0 && !public {
		return err
	}
	_, err = r.tables.Projects.Update(ctx, project.ID, func(project *core.Project) error {
		project.CustomDomain = nil
		if public {
			project.Show(core.VisibilityWorkspace)
		}
		return nil
	})
	if err != nil || !public {
		return err
	}
	return r.record(ctx, core.AuditProjectVisibility, project.Name+": public → workspace")
}

// links ends the links to a project's preview.
func (r reclaimer) links(ctx context.Context, project core.Project) error {
	links, err := r.tables.PreviewLinks.List(ctx, project.ID)
	if err != nil || len(links) == 0 {
		return err
	}
	for _, link := range links {
		if err := r.tables.PreviewLinks.Delete(ctx, link.ID); err != nil {
			return err
		}
	}
	return r.record(ctx, core.AuditPreviewUnshared, project.Name)
}

// sitePassword removes the password of a project's site.
func (r reclaimer) sitePassword(ctx context.Context, project core.Project) error {
	settings, err := r.tables.SiteSettings.Of(ctx, project.ID)
	if err != nil || settings.PasswordHash == "" {
		return err
	}
	settings.PasswordHash, settings.UpdatedAt = "", r.now
	settings.Revision++
	changed := "password"
	if settings.Access == core.SitePassword {
		settings.Access = core.SiteWorkspace
		changed += ", access: " + string(settings.Access)
	}
	if err := r.tables.SiteSettings.Put(ctx, settings); err != nil {
		return err
	}
	return r.record(ctx, core.AuditSiteUpdated, project.Name+": "+changed)
}

// remote disconnects a project from its git repository elsewhere.
func (r reclaimer) remote(ctx context.Context, project core.Project) error {
	remote, err := r.tables.ProjectRemotes.ByProject(ctx, project.ID)
	if core.IsCode(err, core.CodeNotFound) {
		return nil
	}
	if err == nil {
		err = r.tables.ProjectRemotes.Delete(ctx, remote.ID)
	}
	if err != nil {
		return err
	}
	return r.record(ctx, core.AuditRemoteDisconnected, string(project.ID))
}
