package workspaces

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// announceTime bounds the announcement of a change of membership to a workspace's
// projects.
const announceTime = 30 * time.Second

// announce tells the followers of all the workspace's projects that its members
// changed, and with them access and the previews' addresses. It stops the agent's
// runs for those who may no longer use the workspace.
//
// The change is already stored, and followers without a notice find out within
// seconds, so a failure is only logged.
func (m *Members) announce(ctx context.Context, workspace core.ID, gone ...core.ID) {
	m.Hooks.Wake()
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), announceTime)
	defer cancel()
	log := m.Log.With("workspace", workspace)
	err := eachProject(bounded, m.Store.Tables(), workspace, func(project core.ID) {
		if err := m.Bus.Publish(bounded, core.Notice{Kind: core.NoticeProject, ProjectID: project}); err != nil {
			log.WarnContext(ctx, "could not notify followers of changed members", "project", project, "error", err)
		}
		for _, user := range gone {
			if err := m.Runs.StopOf(bounded, project, user); err != nil {
				log.WarnContext(ctx, "could not stop the runs of a former member", "project", project, "user", user, "error", err)
			}
		}
	})
	if err != nil {
		log.WarnContext(ctx, "could not notify projects of changed members", "error", err)
	}
}

// eachProject visits all projects of a workspace that are not deleted, as an owner
// sees them.
func eachProject(ctx context.Context, tables storage.Tables, workspace core.ID, visit func(core.ID)) error {
	members, err := tables.Members.List(ctx, workspace)
	if err != nil {
		return err
	}
	filter := storage.ProjectFilter{Workspace: workspace, Copies: true, AnyFactor: true}
	for _, member := range members {
		if member.Role == core.RoleOwner {
			filter.Member = member.UserID
		}
	}
	page := core.Page{Limit: core.MaxPageLimit}
	for {
		projects, err := tables.Projects.List(ctx, filter, page)
		if err != nil {
			return err
		}
		for _, project := range projects {
			visit(project.ID)
		}
		if len(projects) < page.Limit {
			return nil
		}
		last := projects[len(projects)-1]
		page.Before = &core.Position{CreatedAt: last.CreatedAt, ID: last.ID}
	}
}
