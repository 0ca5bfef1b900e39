package workspaces

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/webhooks"
	"github.com/atelierhq/atelier/ports/storage"
)

// Trash removes projects for good; projects.Trash implements it.
type Trash interface {
	// WakePurge begins to remove the projects that are marked as being removed. It never waits.
	WakePurge()
}

// maxNamesTold bounds the workspaces that the error of LeaveAll names.
const maxNamesTold = 10

// LeaveAll takes a person out of all workspaces, in the transaction that deletes their account.
//
// A workspace without anybody else goes with all that is in it: its projects are marked as being
// removed, which takes their sites offline, and Trash removes them and then the workspace. From
// other workspaces the person is removed as Remove does it.
//
// It returns core.CodeConflict, which names the workspaces, if others belong to one of which the
// person is the last owner, or to the person's personal workspace.
//
// announce, to be called once the transaction has committed, tells the people concerned, stops the
// agent's runs for the person, and begins the removal.
func (m *Members) LeaveAll(ctx context.Context, tables storage.Tables, by core.Actor, person core.ID) (announce func(context.Context), err error) {
	spaces, err := tables.Workspaces.OfUser(ctx, person)
	if err != nil {
		return nil, err
	}
	var alone, joined []core.Workspace
	var held []string
	for _, space := range spaces {
		members, err := tables.Members.List(ctx, space.ID)
		switch {
		case err != nil:
			return nil, err
		case len(members) == 1:
			alone = append(alone, space.Workspace)
		case space.IsOwn() || isLastOwner(members, person):
			held = append(held, fmt.Sprintf("%q", space.Name))
		default:
			joined = append(joined, space.Workspace)
		}
	}
	if len(held) > 0 {
		return nil, stillShared(held)
	}
	d := departure{m, tables, by, person}
	var doomed []core.ID
	for _, space := range alone {
		projects, err := d.dissolve(ctx, space)
		if err != nil {
			return nil, err
		}
		doomed = append(doomed, projects...)
	}
	for _, space := range joined {
		if err := d.leave(ctx, space.ID); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context) {
		for _, project := range doomed {
			m.tell(ctx, project)
		}
		for _, space := range joined {
			m.announce(ctx, space.ID, person)
		}
		m.Trash.WakePurge()
	}, nil
}

func isLastOwner(members []core.Member, person core.ID) bool {
	return !slices.ContainsFunc(members, func(member core.Member) bool {
		return member.UserID != person && member.Role == core.RoleOwner
	})
}

func stillShared(names []string) error {
	told := strings.Join(names[:min(len(names), maxNamesTold)], ", ")
	if len(names) > maxNamesTold {
		told += ", …"
	}
	return core.Errorf(core.CodeConflict, "others belong to workspaces that would lose their last owner: %s. Make somebody else an owner or remove the other members; a personal workspace stays with its founder, so remove its guests", told)
}

// tell tells the followers of a project that it changed. They find out within seconds without it.
func (m *Members) tell(ctx context.Context, project core.ID) {
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), announceTime)
	defer cancel()
	if err := m.Bus.Publish(bounded, core.Notice{Kind: core.NoticeProject, ProjectID: project}); err != nil {
		m.Log.WarnContext(ctx, "could not notify followers of a project that is removed", "project", project, "error", err)
	}
}

// departure is the work on the workspaces of a person who leaves.
type departure struct {
	*Members
	tables storage.Tables
	by     core.Actor
	person core.ID
}

func (d departure) record(ctx context.Context, workspace core.ID, action core.AuditAction, target string) error {
	return d.Audit.Record(ctx, d.tables, d.by, workspace, action, target)
}

// leave removes the person from a workspace that others keep.
func (d departure) leave(ctx context.Context, workspace core.ID) error {
	member, err := d.tables.Members.ByID(ctx, workspace, d.person)
	if err != nil {
		return err
	}
	if err := d.takeOut(ctx, d.tables, d.by, workspace, member); err != nil {
		return err
	}
	if err := d.Hooks.Add(ctx, d.tables, webhooks.MemberChanged(workspace, d.person, webhooks.MemberRemoved, core.RoleNone)); err != nil {
		return err
	}
	return d.record(ctx, workspace, core.AuditMemberRemoved, member.Email)
}

// dissolve ends a workspace to which nobody else belongs, and returns the projects that are to be
// removed. Without any the workspace goes at once.
func (d departure) dissolve(ctx context.Context, space core.Workspace) ([]core.ID, error) {
	if err := dropInvites(ctx, d.tables, space.ID, ""); err != nil {
		return nil, err
	}
	r := reclaimer{tables: d.tables, log: d.Audit, by: d.by, person: d.person, workspace: space.ID, now: core.At(d.Store.Now())}
	if err := r.connections(ctx); err != nil {
		return nil, err
	}
	doomed, err := d.condemn(ctx, space.ID)
	if err != nil {
		return nil, err
	}
	if err := d.record(ctx, space.ID, core.AuditWorkspaceDeleted, space.Name); err != nil {
		return nil, err
	}
	if len(doomed) == 0 {
		return nil, d.tables.Workspaces.Delete(ctx, space.ID)
	}
	return doomed, raise(ctx, d.tables, space.ID)
}

// condemn marks the projects of a workspace, and their copies, as being removed. Its only member
// owns it, so they see all of them.
func (d departure) condemn(ctx context.Context, workspace core.ID) ([]core.ID, error) {
	var projects []core.Project
	for _, deleted := range []bool{false, true} {
		filter := storage.ProjectFilter{Member: d.person, Workspace: workspace, Deleted: deleted, Copies: true, AnyFactor: true}
		found, err := allProjects(ctx, d.tables, filter)
		if err != nil {
			return nil, err
		}
		projects = append(projects, found...)
	}
	now, doomed := core.At(d.Store.Now()), make([]core.ID, len(projects))
	for i, project := range projects {
		doomed[i] = project.ID
		_, err := d.tables.Projects.Update(ctx, project.ID, func(project *core.Project) error {
			if project.DeletedAt == nil {
				project.DeletedAt = &now
			}
			project.Purging, project.UpdatedAt = true, now
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return doomed, nil
}

// allProjects returns the projects of a filter, a page at a time, before any of them changes.
func allProjects(ctx context.Context, tables storage.Tables, filter storage.ProjectFilter) (all []core.Project, err error) {
	page := core.Page{Limit: core.MaxPageLimit}
	for {
		found, err := tables.Projects.List(ctx, filter, page)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
		if len(found) < page.Limit {
			return all, nil
		}
		at := storage.PositionOf(found[len(found)-1])
		page.Before = &at
	}
}
