// Package workspaces has the use cases of workspaces, shared or personal, in which
// people keep projects.
//
// members.go changes roles and removes members, and groups.go does so for groups of companies'
// sign-in. announcement.go tells projects that members changed. quotas.go has what a workspace may
// hold, factors.go who is shut out for want of a second factor. departure.go deletes the memberships and workspaces of an account that is deleted. reclaim.go undoes what was done in the
// name of an account before its address was verified. knowledge.go has the text that the agent
// knows of the workspace.
package workspaces

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/ports/storage"
)

// Deps has the dependencies of the use cases of workspaces.
type Deps struct {
	Store storage.Store
	Gate  *access.Gate
	Audit *audit.Log
	// CreditLimit is that of a new workspace; nil leaves it to the admins of the installation.
	CreditLimit core.CreditLimit
	// Quotas bound how many workspaces a person owns.
	Quotas core.Quotas
	// Members shuts members out who lack the second factor that a workspace requires from now on.
	Members *Members
	Now     func() time.Time
}

// Service has the use cases of workspaces themselves. Many goroutines may use it.
type Service struct{ deps Deps }

// New returns the use cases.
func New(deps Deps) *Service { return &Service{deps} }

// View is a workspace as one of its members sees it.
type View struct {
	core.Workspace
	Role core.Role `json:"role"`
}

// List returns the caller's workspaces: their personal one first, then the
// personal ones of others, then by age.
func (s *Service) List(ctx context.Context, by core.Actor) ([]View, error) {
	if err := s.deps.Gate.Caller(by, core.ActionWorkspaceList); err != nil {
		return nil, err
	}
	spaces, err := s.deps.Store.Tables().Workspaces.OfUser(ctx, by.UserID)
	if err != nil {
		return nil, err
	}
	views := make([]View, 0, len(spaces))
	for _, space := range spaces {
		view := View{space.Workspace, space.Role}
		if space.IsOwn() {
			views = slices.Insert(views, 0, view)
			continue
		}
		views = append(views, view)
	}
	return views, nil
}

// Create makes a workspace that the caller owns. It returns core.CodeValidationFailed
// for a name out of bounds, and core.CodeConflict if the caller owns as many workspaces
// as a person may.
func (s *Service) Create(ctx context.Context, by core.Actor, name string) (View, error) {
	if err := s.deps.Gate.Caller(by, core.ActionWorkspaceCreate); err != nil {
		return View{}, err
	}
	name, err := core.CheckName("name", name, core.MaxWorkspaceNameChars)
	if err != nil {
		return View{}, err
	}
	space := core.NewWorkspace(name, false, nil, core.At(s.deps.Now()))
	owner := core.Membership{WorkspaceID: space.ID, UserID: by.UserID, Role: core.RoleOwner, JoinedAt: space.CreatedAt}
	err = s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		if err := checkOwned(ctx, tables, s.deps.Quotas, by.UserID); err != nil {
			return err
		}
		limit, err := access.CreditLimitIn(ctx, tables, s.deps.CreditLimit)
		if err != nil {
			return err
		}
		space.CreditLimit = limit
		if err := tables.Workspaces.Create(ctx, space); err != nil {
			return err
		}
		if err := tables.Workspaces.PutMember(ctx, owner); err != nil {
			return err
		}
		return s.deps.Audit.Record(ctx, tables, by, space.ID, core.AuditWorkspaceCreated, space.Name)
	})
	return View{space, core.RoleOwner}, err
}

// Get returns a workspace to a member.
func (s *Service) Get(ctx context.Context, by core.Actor, id core.ID) (View, error) {
	space, role, err := s.deps.Gate.Workspace(ctx, by, core.ActionWorkspaceRead, id)
	return View{space, role}, err
}

// Change is a change of a workspace. A nil field is left unchanged.
type Change struct {
	Name *string
	// CreditLimit, in USD, points to nil for unlimited.
	CreditLimit **float64
	// CommandHosts are hosts for core.ParseHostPatterns.
	CommandHosts *[]string
	// RequireMFA requires a second factor of members.
	RequireMFA *bool
	// LivePublish says who may publish what changes functions or rules: members or admins.
	LivePublish *core.Role
}

// Update changes a workspace. A field out of bounds has code
// core.CodeValidationFailed. core.CodeConflict are a credit limit above what the admins of the
// installation gave to the workspace, and a second factor required by somebody without one.
func (s *Service) Update(ctx context.Context, by core.Actor, id core.ID, change Change) (View, error) {
	var view View
	var out []core.ID
	stricter := false
	err := s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		space, role, err := access.WorkspaceIn(ctx, tables, by, core.ActionWorkspaceUpdate, id)
		if err != nil {
			return err
		}
		view = View{space, role}
		if change == (Change{}) {
			return nil
		}
		hosts, err := change.check()
		if err != nil {
			return err
		}
		if stricter = change.isStricter(space); stricter {
			if out, err = shutOut(ctx, tables, by, id); err != nil {
				return err
			}
		}
		view.Workspace, err = tables.Workspaces.Update(ctx, id, func(space *core.Workspace) error {
			if err := change.withinCap(*space); err != nil {
				return err
			}
			change.apply(space, hosts)
			space.UpdatedAt = core.At(s.deps.Now())
			return nil
		})
		if err != nil {
			return err
		}
		return s.deps.Audit.Record(ctx, tables, by, id, core.AuditWorkspaceUpdated, change.describe(space.CommandHosts, hosts))
	})
	if err == nil && stricter {
		s.deps.Members.announce(ctx, id, out...)
	}
	return view, err
}

// check checks the bounds of the fields, trims the name, and returns the hosts.
func (c *Change) check() (core.HostPatterns, error) {
	if c.Name != nil {
		name, err := core.CheckName("name", *c.Name, core.MaxWorkspaceNameChars)
		if err != nil {
			return nil, err
		}
		c.Name = &name
	}
	if c.LivePublish != nil && *c.LivePublish != core.RoleMember && *c.LivePublish != core.RoleAdmin {
		return nil, core.Errorf(core.CodeValidationFailed, "livePublish must be member or admin")
	}
	if err := checkCreditLimit(c.CreditLimit); err != nil || c.CommandHosts == nil {
		return nil, err
	}
	return core.ParseHostPatterns(*c.CommandHosts)
}

func (c Change) apply(space *core.Workspace, hosts core.HostPatterns) {
	if c.Name != nil {
		space.Name = *c.Name
	}
	if c.CreditLimit != nil {
		space.CreditLimit = *c.CreditLimit
		if space.CreditLimit == nil {
			space.CreditLimit = space.CreditCap
		}
	}
	if c.CommandHosts != nil {
		space.CommandHosts = hosts
	}
	if c.RequireMFA != nil {
		if c.isStricter(*space) {
			// Those without a factor know the previews' addresses.
			space.MembersVersion++
		}
		space.RequireMFA = *c.RequireMFA
	}
	if c.LivePublish != nil {
		space.LivePublish = *c.LivePublish
	}
}

// withinCap returns core.CodeConflict for a credit limit above the cap of the workspace.
func (c Change) withinCap(space core.Workspace) error {
	if c.CreditLimit == nil || *c.CreditLimit == nil || space.CreditCap == nil || **c.CreditLimit <= *space.CreditCap {
		return nil
	}
	return core.Errorf(core.CodeConflict, "creditLimit may be at most %.2f USD, which is what this service gives to this workspace: ask an admin of the service for more", *space.CreditCap)
}

// describe says what changes, for the audit log. before and after are the hosts.
func (c Change) describe(before, after core.HostPatterns) string {
	var parts []string
	if c.Name != nil {
		parts = append(parts, fmt.Sprintf("name: %s", *c.Name))
	}
	if c.CreditLimit != nil && *c.CreditLimit == nil {
		parts = append(parts, "creditLimit: unlimited")
	} else if c.CreditLimit != nil {
		parts = append(parts, fmt.Sprintf("creditLimit: %.2f USD", **c.CreditLimit))
	}
	if c.CommandHosts != nil {
		parts = append(parts, describeHosts(before, after))
	}
	if c.RequireMFA != nil {
		parts = append(parts, fmt.Sprintf("requireMfa: %t", *c.RequireMFA))
	}
	if c.LivePublish != nil {
		parts = append(parts, fmt.Sprintf("livePublish: %s", *c.LivePublish))
	}
	return strings.Join(parts, ", ")
}

// describeHosts describes only the difference, because the audit log cuts long texts.
func describeHosts(before, after core.HostPatterns) string {
	said := fmt.Sprintf("commandHosts: %d", len(after))
	for _, host := range after {
		if !slices.Contains(before, host) {
			said += " +" + string(host)
		}
	}
	for _, host := range before {
		if !slices.Contains(after, host) {
			said += " -" + string(host)
		}
	}
	return said
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

// Delete removes a workspace permanently. It returns core.CodeConflict for a personal
// workspace and for one with projects: deleting projects removes files and sites, so
// people must do that one by one.
func (s *Service) Delete(ctx context.Context, by core.Actor, id core.ID) error {
	return s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		space, _, err := access.WorkspaceIn(ctx, tables, by, core.ActionWorkspaceDelete, id)
		if err != nil {
			return err
		}
		if space.Personal {
			return core.Errorf(core.CodeConflict, "a personal workspace cannot be deleted")
		}
		if err := checkEmpty(ctx, tables, by, id); err != nil {
			return err
		}
		// The log outlives the workspace.
		if err := s.deps.Audit.Record(ctx, tables, by, id, core.AuditWorkspaceDeleted, space.Name); err != nil {
			return err
		}
		return tables.Workspaces.Delete(ctx, id)
	})
}

// checkEmpty returns an error for a workspace with projects. The owner sees all of
// them.
func checkEmpty(ctx context.Context, tables storage.Tables, owner core.Actor, id core.ID) error {
	for _, deleted := range []bool{false, true} {
		filter := storage.ProjectFilter{Member: owner.UserID, Workspace: id, Deleted: deleted, AnyFactor: true}
		found, err := tables.Projects.List(ctx, filter, core.Page{Limit: 1})
		if err != nil {
			return err
		}
		if len(found) > 0 {
			return core.Errorf(core.CodeConflict, "the workspace still has projects, such as %q: delete each permanently (?hard=true), including those in the trash, or transfer it", found[0].Name)
		}
	}
	return nil
}
