package projects

import (
	"context"
	"errors"
	"net/url"
	"time"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

const (
	// fetchTimeout is how long a repository may take to arrive.
	fetchTimeout = 2 * time.Minute
	// maxFetchBytes is the largest pack that an import takes, in bytes.
	maxFetchBytes = 256 << 20
	// maxAddressChars bounds the address of a repository.
	maxAddressChars = 2048
	// maxBranchChars bounds the name of a branch, as hosts of repositories do.
	maxBranchChars = 255
)

// ImportGit makes a project of a branch of a repository elsewhere, as Import does of an
// archive: the branch becomes the project's main. The history comes along, under the ids that it has, when a
// project can hold every version of it; else the newest version comes alone, as
// "Imported from <host>/<path>". Submodules and links are refused, files of LFS are
// the pointers that the repository has in their place.
//
// Its errors name branch where the repository does not have it, or none can be called so,
// which is core.CodeValidationFailed, and else gitUrl: core.CodeForbiddenAddress for an address that must not be
// reached, core.CodeUnavailable for a server that does not answer within two minutes,
// core.CodePayloadTooLarge for a repository beyond the limits (256 MiB as it is sent,
// MaxFileBytes a file), the codes of core.ParsePath for a path of the newest version
// that no project may hold, and core.CodeValidationFailed for everything else. Then
// nothing is left behind; after a crash, Sweep sees to that. Credentials in the address
// are used and neither stored nor told.
func (s *Service) ImportGit(ctx context.Context, by core.Actor, workspace core.ID, draft ImportDraft, source vcs.Source) (View, error) {
	if err := s.MayCreate(ctx, by, workspace); err != nil {
		return View{}, err
	}
	plan, err := s.plan(ctx, by, workspace, Draft{Name: draft.Name, FolderID: draft.FolderID})
	if err != nil {
		return View{}, err
	}
	if err := checkSource(source); err != nil {
		return View{}, err
	}
	room := s.deps.Files.NewRoom()
	limits := vcs.Limits{PackBytes: min(maxFetchBytes, room.Bytes), FileBytes: int64(s.deps.MaxFileBytes), TreeBytes: room.TreeBytes}
	fetch := func(ctx context.Context) (vcs.Fetched, error) {
		ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
		defer cancel()
		return s.deps.Remotes.Fetch(ctx, plan.project.ID, source, limits)
	}
	first := vcs.Commit{Message: "Imported from " + placeOf(source.Address), Author: plan.author, At: plan.project.CreatedAt}
	if plan.entries, err = s.deps.Files.CreateFetched(ctx, plan.project.ID, fetch, first); err != nil {
		return View{}, ofSource(err)
	}
	project, err := s.record(ctx, plan)
	if err != nil {
		s.abandon(ctx, plan.project.ID)
		return View{}, err
	}
	s.settle(ctx, project.ID)
	return s.Present(project), nil
}

// checkSource bounds what the caller names.
func checkSource(source vcs.Source) error {
	if len(source.Address) > maxAddressChars {
		return core.Errorf(core.CodeValidationFailed, "gitUrl must have at most %d characters", maxAddressChars)
	}
	if source.Branch == nil {
		return nil
	}
	if chars := utf8.RuneCountInString(*source.Branch); chars < 1 || chars > maxBranchChars {
		return core.Errorf(core.CodeValidationFailed, "branch must have 1 to %d characters: leave it out for the default branch", maxBranchChars)
	}
	return nil
}

// settle lets the history that came become the project's. What fails here the next
// touch of the project does.
func (s *Service) settle(ctx context.Context, project core.ID) {
	if _, err := s.deps.Files.Reconcile(ctx, project); err != nil {
		s.deps.Log.WarnContext(ctx, "history of an imported project waits for its next touch", "project", project, "error", err)
	}
}

// placeOf is where a repository is, without the credentials in its address.
func placeOf(address string) string {
	found, err := url.Parse(address)
	if err != nil {
		return "elsewhere"
	}
	return found.Host + found.EscapedPath()
}

// ofSource names the field that an error is about. What is the service's own trouble
// stays as it is.
func ofSource(err error) error {
	var known *core.Error
	if !errors.As(err, &known) || known.Code == core.CodeInternal {
		return err
	}
	named, field := *known, "gitUrl: "
	if errors.Is(err, vcs.ErrNoBranch) {
		field = "branch: "
	}
	named.Message = field + known.Message
	return &named
}
