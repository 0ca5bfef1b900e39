package publish

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/addresses"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/core/thumbnails"
	"github.com/atelierhq/atelier/core/webhooks"
	"github.com/atelierhq/atelier/ports/broadcast"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/sites"
	"github.com/atelierhq/atelier/ports/storage"
	"github.com/atelierhq/atelier/ports/toolchain"
	"github.com/atelierhq/atelier/ports/tracing"
	"github.com/atelierhq/atelier/ports/vcs"
)

// Maker makes pages; builds.Maker implements it.
type Maker interface {
	Make(ctx context.Context, project core.ID, mode build.Mode) (build.Result, error)
}

// Backends switches live data together with the site; backends.Service implements it.
type Backends interface {
	Stage(ctx context.Context, release backends.Release) (*backends.Switch, error)
}

// Checks plays the checks of projects; checks.Service implements it.
type Checks interface {
	// Failures plays all checks of a project and returns those that failed. It returns none if
	// they cannot be played here.
	Failures(ctx context.Context, project core.ID) ([]core.CheckFailure, error)
}

// Deps has the dependencies of a Service. Log gets failures that do not change the answer to the caller.
type Deps struct {
	Store     storage.Store
	Gate      *access.Gate
	Audit     *audit.Log
	Bus       broadcast.Bus
	Committer files.Committer
	History   files.History
	Maker     Maker
	Backends  Backends
	// Checks plays the checks of a project before its publish; nil plays none.
	Checks Checks
	Sites  sites.Store
	// Hooks tells webhooks of deployments that went live; nil tells none.
	Hooks *webhooks.Queue
	// Passwords hashes the passwords of sites.
	Passwords identity.Passwords
	// Picture requests a new thumbnail of a project.
	Picture thumbnails.Refresher
	// Address returns the URL of a site by its slug.
	Address projects.Address
	Now     func() time.Time
	Log     *slog.Logger
}

// publishLimit bounds a publish: an installation of packages, a build, the checks, and some rest.
const publishLimit = toolchain.MaxInstallTime + toolchain.MaxBuildTime + checksLimit + time.Minute

// checksLimit bounds the playing of checks. It is longer than checks.Service takes by itself, so that
// those that are left say so.
const checksLimit = 4 * time.Minute

// Service has the use cases around published sites. It may be used by many goroutines.
type Service struct {
	deps Deps
	// locks serialise the changes of a project's deployments in this process. Between
	// processes the update of the project's record decides.
	locks ctxsync.KeyedMutex[core.ID]
	// sites caches sites by slug, domains by custom domain.
	sites, domains *directory
	tidying        *cleanup
}

// New returns a service over the ports. Close it before the process ends.
func New(deps Deps) *Service {
	return &Service{
		deps: deps, tidying: newTidying(),
		sites: newDirectory(deps, readSite), domains: newDirectory(deps, readDomain),
	}
}

// Close ends the work in the background, and empties the caches of Site and SiteAt.
func (s *Service) Close() {
	s.tidying.close()
	s.sites.close()
	s.domains.close()
}

// Request says how to publish. A nil Slug means the slug in use, else the project's own, with a number
// if that is reserved.
// AcceptDataLoss is the id of a plan that may lose live data, AcceptFindings are those of findings
// that the publisher can live with.
type Request struct {
	Slug           *string
	AcceptDataLoss core.ID
	AcceptFindings []core.ID
	// IgnoreChecks publishes also if checks fail, and does not play them.
	IgnoreChecks bool
}

// PublishResult is the result of a publish.
type PublishResult struct {
	Project projects.View `json:"project"`
	URL     string        `json:"url"`
	// VersionID is the project's version that was built.
	VersionID string `json:"versionId"`
	// BuildMillis is how long the installation of packages and the build took.
	BuildMillis int64 `json:"buildMs"`
	// Warnings are about what the pages ask for and the site does not have. The preview has them too.
	Warnings []core.Diagnostic `json:"warnings,omitempty"`
}

// Publish commits what is staged, builds the project, and makes the build the live site. The live
// data of the project's backend follows its schema in the same switch. If the slug changes, the
// site's earlier address is freed.
//
// It returns core.CodeBuildFailed, with diagnostics, if the sources do not build or the build is
// larger than a site may be. A slug that is reserved or serves another site has core.CodeSlugTaken, an
// invalid one core.CodeValidationFailed. A change of the backend's schema that would lose live data
// has core.CodeDataLoss with the plan, data that strangers could reach core.CodeOpenData with the
// findings, and checks that fail core.CodeChecksFailed with these. Other errors are
// access.Gate.Project's, and core.CodeUnavailable. After any error the live site is unchanged.
//
// Publishes of one project run one at a time in a process. Between processes the later update
// of the project wins, and the switch of live data is locked (core/backends/live.go). One that has begun is completed even if its caller
// has left.
func (s *Service) Publish(ctx context.Context, by core.Actor, id core.ID, request Request) (PublishResult, error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionPublish, id); err != nil {
		return PublishResult{}, err
	}
	done, err := s.lock(ctx, id)
	if err != nil {
		return PublishResult{}, err
	}
	defer done()
	work, cancel := context.WithTimeout(context.WithoutCancel(ctx), publishLimit)
	defer cancel()
	project, err := s.deps.Store.Tables().Projects.ByID(work, id)
	if err == nil && project.DeletedAt != nil {
		err = core.NotFound("project")
	}
	if err != nil {
		return PublishResult{}, err
	}
	work = fair.WithTenant(work, project.WorkspaceID)
	label, err := s.chooseSlug(work, project, request.Slug)
	if err != nil {
		return PublishResult{}, err
	}
	work, span := tracing.Child(work, "publish", tracing.Internal)
	result, err := s.deploy(work, by, project, label, request)
	tracing.End(span, err)
	return result, err
}

// titleOf is what a deployment is called: the wish for which the agent made its version, else the first
// line of the version's message.
func titleOf(ctx context.Context, tables storage.Tables, project core.ID, version core.Version) (string, error) {
	runs, err := tables.Runs.Made(ctx, project, []string{version.ID})
	if err != nil {
		return "", err
	}
	for _, run := range runs {
		if wish := run.Wish(); wish != "" {
			return wish, nil
		}
	}
	first, _, _ := strings.Cut(version.Message, "\n")
	return first, nil
}

// deploy builds the project and switches its site to the build.
func (s *Service) deploy(ctx context.Context, by core.Actor, project core.Project, slug string, request Request) (PublishResult, error) {
	id := project.ID
	version, err := s.commit(ctx, by, id)
	if err != nil {
		return PublishResult{}, err
	}
	began := time.Now()
	made, warnings, err := s.build(ctx, id)
	if err != nil {
		return PublishResult{}, err
	}
	took := time.Since(began)
	reserved, err := isReserved(ctx, s.deps.Store.Tables(), by, project)
	if err == nil && reserved {
		if err = checkFunctions(ctx, s.deps.Sites, project.DeploymentID, describe(made)); err == nil {
			err = checkRules(ctx, s.deps, id, version.ID)
		}
	}
	if err != nil {
		return PublishResult{}, err
	}
	if !request.IgnoreChecks && s.deps.Checks != nil {
		if err := s.playChecks(ctx, id); err != nil {
			return PublishResult{}, err
		}
	}
	title, err := titleOf(ctx, s.deps.Store.Tables(), id, version)
	if err != nil {
		return PublishResult{}, err
	}
	deployment := core.Deployment{
		ID: core.NewID(), ProjectID: id, URL: s.deps.Address(slug), Slug: slug, Status: core.DeploymentLive,
		CreatedAt: core.At(s.deps.Now()), By: by.UserID, Bytes: sizeOf(made), VersionID: version.ID, Title: title,
	}
	release := backends.Release{
		Project: id, Deployment: deployment.ID, By: by, AcceptDataLoss: request.AcceptDataLoss, AcceptFindings: request.AcceptFindings,
	}
	project, err = s.switchTo(ctx, deployment, made, release)
	if err != nil {
		return PublishResult{}, err
	}
	s.announce(ctx, id)
	s.tidy(project)
	s.deps.Picture(id)
	view := projects.View{Project: project, URL: s.deps.Address.Of(project)}
	return PublishResult{view, deployment.URL, version.ID, took.Milliseconds(), warnings}, nil
}

func (s *Service) commit(ctx context.Context, by core.Actor, id core.ID) (core.Version, error) {
	user, err := s.deps.Store.Tables().Users.ByID(ctx, by.UserID)
	if err != nil {
		return core.Version{}, err
	}
	commit := vcs.Commit{Message: "Publish", Author: files.AuthorOf(user), At: core.At(s.deps.Now())}
	version, _, err := s.deps.Committer.As(s.deps.Gate, by, core.ActionPublish).Commit(ctx, id, commit)
	return version, err
}

// build makes the site's files, and tells what visitors may miss.
func (s *Service) build(ctx context.Context, id core.ID) (files []sites.File, warnings []core.Diagnostic, err error) {
	made, err := s.deps.Maker.Make(ctx, id, build.ModeSite)
	if err != nil {
		return nil, nil, err
	}
	site := make([]sites.File, len(made.Files))
	for i, file := range made.Files {
		site[i] = sites.File(file)
	}
	wrong := made.Diagnostics
	if len(wrong) == 0 {
		wrong = checkBounds(site)
	}
	if len(wrong) > 0 {
		failed := core.Errorf(core.CodeBuildFailed, "the build failed")
		failed.Diagnostics = wrong
		return nil, nil, failed
	}
	return site, made.Warnings, nil
}

func sizeOf(files []sites.File) int64 {
	var sum int64
	for _, file := range files {
		sum += int64(len(file.Content))
	}
	return sum
}

// switchTo makes the build live together with the schema of the backend: both or neither.
func (s *Service) switchTo(ctx context.Context, deployment core.Deployment, files []sites.File, release backends.Release) (core.Project, error) {
	data, err := s.deps.Backends.Stage(ctx, release)
	if err != nil {
		return core.Project{}, err
	}
	project, err := s.store(ctx, release.By, deployment, files, data)
	if settled := data.Settle(context.WithoutCancel(ctx)); settled != nil {
		s.deps.Log.ErrorContext(ctx, "could not open live data after a publish; the next request does", "project", deployment.ProjectID, "error", settled)
	}
	return project, err
}

// store stores the build and makes it live. If the record cannot be changed, it removes the files
// again; if that fails, too, they only take up space.
func (s *Service) store(ctx context.Context, by core.Actor, deployment core.Deployment, files []sites.File, data *backends.Switch) (core.Project, error) {
	if err := s.deps.Sites.Put(ctx, deployment.ID, files); err != nil {
		return core.Project{}, err
	}
	var project core.Project
	err := s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		former, err := access.ProjectIn(ctx, tables, by, core.ActionPublish, deployment.ProjectID)
		if err != nil {
			return err
		}
		if project, err = goLive(ctx, tables, deployment, deployment.CreatedAt, core.DeploymentSuperseded); err != nil {
			return err
		}
		if err := tables.Deployments.Create(ctx, deployment); err != nil {
			return err
		}
		if err := schedule(ctx, tables, former.DeploymentID, deployment, schedulesOf(files), deployment.CreatedAt); err != nil {
			return err
		}
		if err := data.Record(ctx, tables); err != nil {
			return err
		}
		if err := s.deps.Hooks.Add(ctx, tables, webhooks.Published(deployment, by.UserID, false)); err != nil {
			return err
		}
		return s.record(ctx, tables, by, project, core.AuditProjectPublished, deployment.URL)
	})
	if err == nil {
		return project, nil
	}
	if leftover := s.deps.Sites.Remove(ctx, deployment.ID); leftover != nil {
		s.deps.Log.ErrorContext(ctx, "could not remove the files of a failed deployment", "deployment", deployment.ID, "error", leftover)
	}
	return core.Project{}, err
}

// goLive points the project's record at a deployment and gives the formerly live one the status
// fate. It returns core.CodeNotFound for a deleted project, and core.CodeSlugTaken if the slug is
// in use.
func goLive(ctx context.Context, tables storage.Tables, next core.Deployment, now core.Time, fate core.DeploymentStatus) (core.Project, error) {
	var before *core.ID
	var freed *string
	project, err := tables.Projects.Update(ctx, next.ProjectID, func(project *core.Project) error {
		if project.DeletedAt != nil {
			return core.NotFound("project")
		}
		before, freed = project.DeploymentID, project.PublishedSlug
		project.DeploymentID, project.PublishedSlug = &next.ID, &next.Slug
		project.PublishedAt, project.UpdatedAt = &now, now
		return nil
	})
	if err == nil {
		err = checkHold(ctx, tables, next.Slug, project.WorkspaceID, now)
	}
	if err == nil && freed != nil && *freed != next.Slug {
		err = addresses.HoldSlug(ctx, tables, *freed, project.WorkspaceID, now)
	}
	if err != nil || before == nil || *before == next.ID {
		return project, err
	}
	return project, tables.Deployments.SetStatus(ctx, *before, fate)
}

// record writes a change of a site to the audit log.
func (s *Service) record(ctx context.Context, tables storage.Tables, by core.Actor, project core.Project, action core.AuditAction, address string) error {
	return s.deps.Audit.Record(ctx, tables, by, project.WorkspaceID, action, project.Name+" at "+address)
}

// announce tells the project's followers, webhooks, and the caches of Site and SiteAt that its record
// changed.
func (s *Service) announce(ctx context.Context, project core.ID) {
	s.deps.Hooks.Wake()
	s.sites.forget()
	s.domains.forget()
	if err := s.deps.Bus.Publish(ctx, core.Notice{Kind: core.NoticeProject, ProjectID: project}); err != nil {
		s.deps.Log.WarnContext(ctx, "could not notify followers of a changed site", "project", project, "error", err)
	}
}
