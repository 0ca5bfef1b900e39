// Package workspaces holds the use cases of workspaces: the places, shared or
// personal, in which people keep projects.
package workspaces

import (
	"context"
	"math"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/ports/storage"
)

// Service is the use cases of workspaces themselves. Many goroutines may use it.
type Service struct {
	store       storage.Store
	gate        *access.Gate
	creditLimit *float64
	now         func() time.Time
}

// New returns the use cases. creditLimit, in USD, is a new workspace's; nil is
// unlimited.
func New(store storage.Store, gate *access.Gate, creditLimit *float64, now func() time.Time) *Service {
	return &Service{store, gate, creditLimit, now}
}

// View is a workspace as one of its members sees it.
type View struct {
	core.Workspace
	Role core.Role `json:"role"`
}

// List returns the caller's workspaces, the personal one first, then by age.
func (s *Service) List(ctx context.Context, by core.Actor) ([]View, error) {
	if err := s.gate.Caller(by, core.ActionWorkspaceList); err != nil {
		return nil, err
	}
	tables := s.store.Tables()
	spaces, err := tables.Workspaces.OfUser(ctx, by.UserID)
	if err != nil {
		return nil, err
	}
	views := make([]View, 0, len(spaces))
	for _, space := range spaces {
		role, err := tables.Workspaces.Role(ctx, space.ID, by.UserID)
		if err != nil {
			return nil, err
		}
		if role != core.RoleNone {
			views = append(views, View{space, role})
		}
	}
	return views, nil
}

// Create makes a workspace that the caller owns. A name out of bounds has code
// core.CodeValidationFailed.
func (s *Service) Create(ctx context.Context, by core.Actor, name string) (View, error) {
	if err := s.gate.Caller(by, core.ActionWorkspaceCreate); err != nil {
		return View{}, err
	}
	name, err := core.CheckName("name", name, core.MaxWorkspaceNameChars)
	if err != nil {
		return View{}, err
	}
	space := core.NewWorkspace(name, false, s.creditLimit, core.At(s.now()))
	owner := core.Membership{WorkspaceID: space.ID, UserID: by.UserID, Role: core.RoleOwner, JoinedAt: space.CreatedAt}
	err = s.store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if err := tables.Workspaces.Create(ctx, space); err != nil {
			return err
		}
		return tables.Workspaces.PutMember(ctx, owner)
	})
	return View{space, core.RoleOwner}, err
}

// Get returns a workspace to a member.
func (s *Service) Get(ctx context.Context, by core.Actor, id core.ID) (View, error) {
	space, role, err := s.gate.Workspace(ctx, by, core.ActionWorkspaceRead, id)
	return View{space, role}, err
}

// Change is what changes about a workspace. A nil field stays.
type Change struct {
	Name *string
	// CreditLimit, in USD, points to nil for unlimited.
	CreditLimit **float64
}

// Update changes a workspace. A field out of bounds has code
// core.CodeValidationFailed.
func (s *Service) Update(ctx context.Context, by core.Actor, id core.ID, change Change) (View, error) {
	_, role, err := s.gate.Workspace(ctx, by, core.ActionWorkspaceUpdate, id)
	if err != nil {
		return View{}, err
	}
	if change.Name != nil {
		name, err := core.CheckName("name", *change.Name, core.MaxWorkspaceNameChars)
		if err != nil {
			return View{}, err
		}
		change.Name = &name
	}
	if err := checkCreditLimit(change.CreditLimit); err != nil {
		return View{}, err
	}
	space, err := s.store.Tables().Workspaces.Update(ctx, id, func(space *core.Workspace) error {
		if change.Name != nil {
			space.Name = *change.Name
		}
		if change.CreditLimit != nil {
			space.CreditLimit = *change.CreditLimit
		}
		space.UpdatedAt = core.At(s.now())
		return nil
	})
	return View{space, role}, err
}

// maxCreditLimit, in USD, is far above any use and still exact to a millionth.
const maxCreditLimit = 1e9

func checkCreditLimit(limit **float64) error {
	if limit == nil || *limit == nil {
		return nil
	}
	if usd := **limit; math.IsNaN(usd) || usd < 0 || usd > maxCreditLimit {
		return core.Errorf(core.CodeValidationFailed, "creditLimit must be null or from 0 to %.0f USD", float64(maxCreditLimit))
	}
	return nil
}

// Delete removes a workspace for good. A personal workspace, and one that still
// holds projects, has code core.CodeConflict: deleting projects removes files
// and sites, so that is asked for one by one.
func (s *Service) Delete(ctx context.Context, by core.Actor, id core.ID) error {
	space, _, err := s.gate.Workspace(ctx, by, core.ActionWorkspaceDelete, id)
	if err != nil {
		return err
	}
	if space.Personal {
		return core.Errorf(core.CodeConflict, "a personal workspace cannot be deleted")
	}
	return s.store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if err := checkEmpty(ctx, tables, by, id); err != nil {
			return err
		}
		return tables.Workspaces.Delete(ctx, id)
	})
}

// checkEmpty refuses a workspace with projects. The owner sees all of them.
func checkEmpty(ctx context.Context, tables storage.Tables, owner core.Actor, id core.ID) error {
	for _, deleted := range []bool{false, true} {
		filter := storage.ProjectFilter{Member: owner.UserID, Workspace: id, Deleted: deleted}
		found, err := tables.Projects.List(ctx, filter, core.Page{Limit: 1})
		if err != nil {
			return err
		}
		if len(found) > 0 {
			return core.Errorf(core.CodeConflict, "the workspace still has projects, such as %q: delete each with ?hard=true, soft-deleted ones too, or transfer it", found[0].Name)
		}
	}
	return nil
}
