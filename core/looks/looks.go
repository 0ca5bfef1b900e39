package looks

import (
	"context"
	"crypto/subtle"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/audit"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/preview"
	"github.com/atelierhq/atelier/ports/browser"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/identity"
	"github.com/atelierhq/atelier/ports/storage"
)

// Maker makes pages; builds.Maker implements it.
type Maker interface {
	Make(ctx context.Context, project core.ID, mode build.Mode) (build.Result, error)
	MakeFrom(ctx context.Context, project core.ID, files fs.FS) (build.Result, error)
}

// Deps has the dependencies of a Service.
type Deps struct {
	Store   storage.Store
	Gate    *access.Gate
	Audit   *audit.Log
	History files.History
	// Committer tells which changes are in no version yet.
	Committer files.Committer
	Maker     Maker
	Browser   browser.Browser
	Sealer    identity.Sealer
	// Previews says below which domain the addresses are.
	Previews preview.Settings
	Now      func() time.Time
}

// Service has the use cases around addresses of pages. It may be used by many goroutines.
type Service struct{ deps Deps }

// New returns a service over the ports.
func New(deps Deps) *Service { return &Service{deps} }

// Link is an address of a project's pages as its members see it.
type Link struct {
	ID        core.ID       `json:"id"`
	Kind      core.LinkKind `json:"kind"`
	Name      string        `json:"name"`
	URL       string        `json:"url"`
	By        core.ID       `json:"by"`
	CreatedAt core.Time     `json:"createdAt"`
	ExpiresAt core.Time     `json:"expiresAt"`
}

// Request says what link to share. Name may be empty.
type Request struct {
	Name string
	// Lifetime is from core.MinShareLifetime to core.MaxShareLifetime.
	Lifetime time.Duration
}

// Share makes a link for anybody. It returns core.CodeValidationFailed for a bad request, and
// core.CodeConflict beyond core.MaxShareLinks.
func (s *Service) Share(ctx context.Context, by core.Actor, project core.ID, request Request) (Link, error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionProjectUpdate, project); err != nil {
		return Link{}, err
	}
	if request.Lifetime < core.MinShareLifetime || request.Lifetime > core.MaxShareLifetime {
		return Link{}, core.Errorf(core.CodeValidationFailed, "a link lasts from 1 hour to %d days", core.MaxShareLifetime/(24*time.Hour))
	}
	if strings.TrimSpace(request.Name) != "" {
		name, err := core.CheckName("name", request.Name, core.MaxLinkName)
		if err != nil {
			return Link{}, err
		}
		request.Name = name
	}
	now := s.deps.Now()
	made := core.PreviewLink{
		ID: core.NewID(), ProjectID: project, Kind: core.LinkShare, Name: strings.TrimSpace(request.Name),
		CreatedBy: by.UserID, CreatedAt: core.At(now), ExpiresAt: core.At(now.Add(request.Lifetime)),
	}
	var shown Link
	err := s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		record, err := access.ProjectIn(ctx, tables, by, core.ActionProjectUpdate, project)
		if err != nil {
			return err
		}
		shared, err := s.tidy(ctx, tables, project)
		if err != nil {
			return err
		}
		if len(shared) >= core.MaxShareLinks {
			return core.Errorf(core.CodeConflict, "the project has %d links: delete one first", core.MaxShareLinks)
		}
		if err := tables.PreviewLinks.Create(ctx, made); err != nil {
			return err
		}
		if shown, err = s.view(ctx, tables, made, record); err != nil {
			return err
		}
		return s.deps.Audit.Record(ctx, tables, by, record.WorkspaceID, core.AuditPreviewShared, record.Name)
	})
	return shown, err
}

// tidy deletes a project's expired links, and returns those that are shared.
func (s *Service) tidy(ctx context.Context, tables storage.Tables, project core.ID) ([]core.PreviewLink, error) {
	links, err := tables.PreviewLinks.List(ctx, project)
	if err != nil {
		return nil, err
	}
	var shared []core.PreviewLink
	for _, link := range links {
		switch {
		case s.isOver(link):
			if err := tables.PreviewLinks.Delete(ctx, link.ID); err != nil {
				return nil, err
			}
		case link.Kind == core.LinkShare:
			shared = append(shared, link)
		}
	}
	return shared, nil
}

func (s *Service) isOver(link core.PreviewLink) bool { return link.ExpiresAt <= core.At(s.deps.Now()) }

// Shared returns the links that members have shared and that have not expired, the newest first.
func (s *Service) Shared(ctx context.Context, by core.Actor, project core.ID) ([]Link, error) {
	record, err := s.deps.Gate.Project(ctx, by, core.ActionPreviewWatch, project)
	if err != nil {
		return nil, err
	}
	tables := s.deps.Store.Tables()
	links, err := tables.PreviewLinks.List(ctx, project)
	if err != nil {
		return nil, err
	}
	var shared []Link
	for _, link := range links {
		if link.Kind != core.LinkShare || s.isOver(link) {
			continue
		}
		shown, err := s.view(ctx, tables, link, record)
		if err != nil {
			return nil, err
		}
		shared = append(shared, shown)
	}
	return shared, nil
}

// Revoke deletes a link: its address ends with the next request. It returns core.CodeNotFound if the
// project has no such link.
func (s *Service) Revoke(ctx context.Context, by core.Actor, project, id core.ID) error {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionProjectUpdate, project); err != nil {
		return err
	}
	return s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		record, err := access.ProjectIn(ctx, tables, by, core.ActionProjectUpdate, project)
		if err != nil {
			return err
		}
		link, err := tables.PreviewLinks.ByID(ctx, id)
		if err != nil || link.ProjectID != project || link.Kind != core.LinkShare {
			if err == nil || core.IsCode(err, core.CodeNotFound) {
				err = core.NotFound("link")
			}
			return err
		}
		if err := tables.PreviewLinks.Delete(ctx, id); err != nil {
			return err
		}
		return s.deps.Audit.Record(ctx, tables, by, record.WorkspaceID, core.AuditPreviewUnshared, record.Name)
	})
}

// AtVersion returns an address at which the caller sees a version's pages. It returns
// core.CodeNotFound if there is no such version.
func (s *Service) AtVersion(ctx context.Context, by core.Actor, project core.ID, version string) (Link, error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionVersionWrite, project); err != nil {
		return Link{}, err
	}
	shown, err := s.deps.History.Version(ctx, project, version)
	if err != nil {
		return Link{}, err
	}
	return s.look(ctx, by, core.ActionVersionWrite, project, core.LinkVersion, shown.ID)
}

// AtDeployment returns an address at which the caller sees what a deployment has published. It
// returns core.CodeNotFound if the project has no such deployment.
func (s *Service) AtDeployment(ctx context.Context, by core.Actor, project, deployment core.ID) (Link, error) {
	if _, err := s.deps.Gate.Project(ctx, by, core.ActionPublish, project); err != nil {
		return Link{}, err
	}
	found, err := s.deps.Store.Tables().Deployments.ByID(ctx, deployment)
	if err == nil && found.ProjectID != project {
		err = core.NotFound("deployment")
	}
	if err != nil {
		return Link{}, err
	}
	return s.look(ctx, by, core.ActionPublish, project, core.LinkDeployment, string(deployment))
}

// look returns the project's address for a target, and makes it if there is none.
func (s *Service) look(ctx context.Context, by core.Actor, action core.Action, project core.ID, kind core.LinkKind, target string) (Link, error) {
	now := s.deps.Now()
	made := core.PreviewLink{
		ID: core.NewID(), ProjectID: project, Kind: kind, Target: target,
		CreatedBy: by.UserID, CreatedAt: core.At(now), ExpiresAt: core.At(now.Add(core.LookLifetime)),
	}
	var shown Link
	err := s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		record, err := access.ProjectIn(ctx, tables, by, action, project)
		if err != nil {
			return err
		}
		if _, err := s.tidy(ctx, tables, project); err != nil {
			return err
		}
		links, err := tables.PreviewLinks.List(ctx, project)
		if err != nil {
			return err
		}
		link, keep := made, tables.PreviewLinks.Create
		for _, known := range links {
			if known.Kind == kind && known.Target == target {
				link.ID, link.CreatedAt, link.CreatedBy = known.ID, known.CreatedAt, known.CreatedBy
				keep = func(ctx context.Context, link core.PreviewLink) error {
					return tables.PreviewLinks.Extend(ctx, link.ID, link.ExpiresAt)
				}
			}
		}
		if err := keep(ctx, link); err != nil {
			return err
		}
		shown, err = s.view(ctx, tables, link, record)
		return err
	})
	return shown, err
}

func (s *Service) view(ctx context.Context, tables storage.Tables, link core.PreviewLink, record core.Project) (Link, error) {
	label, err := s.label(ctx, tables, link, record)
	address := s.deps.Previews.Scheme + "://" + label + "." + s.deps.Previews.Domain
	return Link{ID: link.ID, Kind: link.Kind, Name: link.Name, URL: address, By: link.CreatedBy, CreatedAt: link.CreatedAt, ExpiresAt: link.ExpiresAt}, err
}

// label returns the first label of a link's host name. It depends on the workspace: links end when the
// project moves to people who have not shared it. That of a members' look changes as the preview's
// does (preview.Service.Resolve), because former members have seen it.
func (s *Service) label(ctx context.Context, tables storage.Tables, link core.PreviewLink, record core.Project) (string, error) {
	parts := []string{"preview link", string(link.ID), string(link.ProjectID), string(record.WorkspaceID), string(link.Kind), link.Target}
	if link.Kind != core.LinkShare {
		workspace, err := tables.Workspaces.ByID(ctx, record.WorkspaceID)
		if err != nil {
			return "", err
		}
		parts = append(parts, string(record.Visibility), strconv.Itoa(workspace.MembersVersion), strconv.Itoa(record.PreviewVersion))
	}
	return string(link.ID) + "-" + s.deps.Sealer.Token(parts...), nil
}

// idChars is the length of an id, which begins a label.
const idChars = 36

// Look is the view behind an address.
type Look struct {
	Project, Workspace core.ID
	Kind               core.LinkKind
	Target             string
}

// Resolve returns what a host name's label shows, in upper or lower case. It has core.CodeNotFound for
// any label but that of a link which has not expired, of a project that is not deleted, and, for one
// that is shared, whose maker could still share it.
func (s *Service) Resolve(ctx context.Context, label string) (Look, error) {
	label = strings.ToLower(label)
	if len(label) <= idChars+1 || label[idChars] != '-' {
		return Look{}, core.NotFound("preview")
	}
	id, err := core.ParseID(label[:idChars])
	if err != nil {
		return Look{}, core.NotFound("preview")
	}
	tables := s.deps.Store.Tables()
	link, err := tables.PreviewLinks.ByID(ctx, id)
	if err != nil {
		return Look{}, err
	}
	project, err := tables.Projects.ByID(ctx, link.ProjectID)
	if err != nil {
		return Look{}, err
	}
	own, err := s.label(ctx, tables, link, project)
	if err != nil {
		return Look{}, err
	}
	right := subtle.ConstantTimeCompare([]byte(label), []byte(own)) == 1
	if !right || project.DeletedAt != nil || s.isOver(link) {
		return Look{}, core.NotFound("preview")
	}
	if link.Kind == core.LinkShare {
		if err := checkMaker(ctx, tables, link); err != nil {
			return Look{}, err
		}
	}
	return Look{project.ID, project.WorkspaceID, link.Kind, link.Target}, nil
}

// checkMaker returns core.CodeNotFound for a link whose maker could not share it any more: their
// account is gone or disabled, they have left, or the project is hidden from them.
func checkMaker(ctx context.Context, tables storage.Tables, link core.PreviewLink) error {
	maker, err := tables.Users.ByID(ctx, link.CreatedBy)
	if err == nil && maker.DisabledAt == 0 {
		_, err = access.ProjectIn(ctx, tables, core.Unattended(maker.ID), core.ActionProjectUpdate, link.ProjectID)
	}
	if core.IsCode(err, core.CodeNotFound) || core.IsCode(err, core.CodeForbidden) || maker.DisabledAt != 0 {
		return core.NotFound("preview")
	}
	return err
}
