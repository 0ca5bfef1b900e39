package projects

import (
	"context"
	"log/slog"
	"net"
	"net/url"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/broadcast"
	"github.com/atelierhq/atelier/ports/scaffold"
	"github.com/atelierhq/atelier/ports/sites"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree"
)

// Deps is what a Service works with.
type Deps struct {
	Store     storage.Store
	Gate      *access.Gate
	Audit     *audit.Log
	Files     *files.Pipeline
	Trees     worktree.Trees
	Templates scaffold.Templates
	Sites     sites.Store
	Remotes   vcs.Remotes
	Bus       broadcast.Bus
	// MaxFileBytes is the largest file that an import may hold, in bytes.
	MaxFileBytes files.MaxFileBytes
	// Quotas bound how many projects a workspace holds.
	Quotas core.Quotas
	// Retention is how long deleted projects are kept.
	Retention Retention
	// Address returns the URL of a site by its slug.
	Address Address
	// Queued is called after a run was queued, so that the worker need not wait for
	// its next poll. It must not block.
	Queued Queued
	Now    func() time.Time
	Log    *slog.Logger
}

// Address returns the URL of the site that is published under slug.
type Address func(slug string) string

// Queued wakes the worker of queued runs.
type Queued func()

// Service has the use cases of projects. Every method first asks the gate; its errors
// are those of access.Gate and those that the method names.
type Service struct {
	deps  Deps
	trash *trash
}

// NewService returns a service over the ports.
func NewService(deps Deps) *Service { return &Service{deps: deps, trash: newTrash()} }

// View is a project as clients see it.
type View struct {
	core.Project
	// PurgeAt is when a deleted project is purged, nil if it stays.
	PurgeAt *core.Time `json:"purgeAt"`
	// URL is the address of the live site, under its custom domain if one is active;
	// nil if there is no live site.
	URL *string `json:"url"`
}

// Present returns the project as clients see it. A site is live while it is
// published and its project is not deleted.
func (s *Service) Present(project core.Project) View {
	view := View{Project: project, PurgeAt: s.purgeAt(project)}
	if project.DeletedAt == nil {
		view.URL = s.deps.Address.Of(project)
	}
	return view
}

// Of returns the URL of a project's site: with its custom domain if one is active, and
// with the scheme and the port of all sites. It is nil for a project that is not
// published.
func (a Address) Of(project core.Project) *string {
	if project.PublishedSlug == nil {
		return nil
	}
	address := a(*project.PublishedSlug)
	if project.CustomDomain == nil {
		return &address
	}
	site, err := url.Parse(address)
	if err != nil {
		return &address
	}
	host := *project.CustomDomain
	if port := site.Port(); port != "" {
		host = net.JoinHostPort(host, port)
	}
	site.Host = host
	named := site.String()
	return &named
}

// Templates returns the templates of new projects, in the order in which to show them.
func (s *Service) Templates(by core.Actor) ([]core.Template, error) {
	if err := s.deps.Gate.Caller(by, core.ActionTemplateList); err != nil {
		return nil, err
	}
	return s.deps.Templates.List(), nil
}

// Get returns a project that the caller may read.
func (s *Service) Get(ctx context.Context, by core.Actor, id core.ID) (View, error) {
	project, err := s.deps.Gate.Project(ctx, by, core.ActionProjectRead, id)
	return s.Present(project), err
}

// Versions returns at most limit versions of a project, the newest first, starting
// after the version before ("" for the newest).
func (s *Service) Versions(ctx context.Context, by core.Actor, id core.ID, before string, limit int) ([]core.Version, error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionVersionRead, id); err != nil {
		return nil, err
	}
	return s.deps.Files.Versions(ctx, id, before, limit)
}

// announce tells the project's followers that its record changed. They can read it
// again at any time, so a failure of the bus is only logged.
func (s *Service) announce(ctx context.Context, project core.ID) {
	if err := s.deps.Bus.Publish(ctx, core.Notice{Kind: core.NoticeProject, ProjectID: project}); err != nil {
		s.deps.Log.WarnContext(ctx, "followers not told of a changed project", "project", project, "error", err)
	}
}
