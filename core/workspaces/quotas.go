package workspaces

import (
	"context"
	"slices"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/ports/storage"
)

// checkOwned returns core.CodeConflict if a person owns as many workspaces as a person
// may.
func checkOwned(ctx context.Context, tables storage.Tables, quotas core.Quotas, person core.ID) error {
	if quotas.Workspaces == 0 {
		return nil
	}
	spaces, err := tables.Workspaces.OfUser(ctx, person)
	if err != nil {
		return err
	}
	owned := slices.DeleteFunc(spaces, func(space core.JoinedWorkspace) bool { return space.Role != core.RoleOwner })
	return quotas.CheckWorkspaces(len(owned))
}

// checkMembers returns core.CodeConflict if a workspace has as many members as it may.
func checkMembers(ctx context.Context, tables storage.Tables, quotas core.Quotas, workspace core.ID) error {
	limits, err := access.QuotasIn(ctx, tables, quotas, workspace)
	if err != nil || limits.Members == 0 {
		return err
	}
	members, err := tables.Members.List(ctx, workspace)
	if err != nil {
		return err
	}
	return limits.CheckMembers(len(members))
}

// Fill is how much of a quota a workspace uses.
type Fill struct {
	Used int `json:"used"`
	// Limit is nil without a bound.
	Limit *int64 `json:"limit"`
}

// Limits are the quotas of a workspace, with what it uses of them.
type Limits struct {
	// Projects includes deleted ones that can be restored.
	Projects Fill `json:"projects"`
	Members  Fill `json:"members"`
	// BytesPerProject is nil without a bound.
	BytesPerProject *int64 `json:"bytesPerProject"`
	// RunsAtOnce is nil without a bound.
	RunsAtOnce *int64 `json:"runsAtOnce"`
}

// Limits returns the quotas of a workspace to those who may read its use.
func (s *Service) Limits(ctx context.Context, by core.Actor, id core.ID) (Limits, error) {
	if _, _, err := s.deps.Gate.Workspace(ctx, by, core.ActionUsageRead, id); err != nil {
		return Limits{}, err
	}
	tables := s.deps.Store.Tables()
	quotas, err := access.QuotasIn(ctx, tables, s.deps.Quotas, id)
	if err != nil {
		return Limits{}, err
	}
	projects, err := tables.Projects.Count(ctx, id)
	if err != nil {
		return Limits{}, err
	}
	members, err := tables.Members.List(ctx, id)
	return Limits{
		Projects:        Fill{projects, bounded(quotas.Projects)},
		Members:         Fill{len(members), bounded(quotas.Members)},
		BytesPerProject: bounded(quotas.Bytes),
		RunsAtOnce:      bounded(quotas.Runs),
	}, err
}

// bounded returns nil for no bound.
func bounded(limit int64) *int64 {
	if limit == 0 {
		return nil
	}
	return &limit
}
