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
	// fetchTimeout bounds the fetch of a repository.
	fetchTimeout = 2 * time.Minute
	// maxFetchBytes is the largest pack that an import accepts, in bytes.
	maxFetchBytes = 256 << 20
	// maxAddressChars bounds the address of a repository.
	maxAddressChars = 2048
	// maxBranchChars bounds the name of a branch, as hosts of repositories do.
	maxBranchChars = 255
)

// ImportGit makes a project from a branch of another repository, as Import does from an archive:
// the branch becomes the project's main. The history is imported with its ids if a project can hold
// every version as it is; otherwise only the newest version, as "Imported from <host>/<path>". From
// that is left out, with a note, what Import leaves out of an archive, and submodules. For LFS files
// the project gets their pointers, with a note too.
//
// A branch that is missing or has an invalid name has core.CodeValidationFailed and names the field
// branch. All other errors name gitUrl. They have core.CodeForbiddenAddress for an address that
// must not be reached, core.CodeUnavailable if the server does not answer within two minutes, and
// core.CodePayloadTooLarge beyond the limits (256 MiB as sent, MaxFileBytes a file). An invalid
// path in the newest version has the code of core.ParsePath, and everything else
// core.CodeValidationFailed.
//
// After an error nothing is left; after a crash, Sweep cleans up. Credentials in the address are
// used, but neither stored nor shown.
func (c *Creations) ImportGit(ctx context.Context, by core.Actor, workspace core.ID, draft ImportDraft, source vcs.Source) (ImportResult, error) {
	if err := c.MayCreate(ctx, by, workspace); err != nil {
		return ImportResult{}, err
	}
	plan, err := c.plan(ctx, by, workspace, Draft{Name: draft.Name, FolderID: draft.FolderID})
	if err != nil {
		return ImportResult{}, err
	}
	if err := checkSource(source); err != nil {
		return ImportResult{}, err
	}
	headroom := c.deps.Files.InitialHeadroom()
	limits := vcs.Limits{PackBytes: min(maxFetchBytes, headroom.Bytes), FileBytes: int64(c.deps.MaxFileBytes), TreeBytes: headroom.TreeBytes}
	branch := &notedBranch{}
	fetch := func(ctx context.Context) (vcs.FetchedBranch, error) {
		ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
		defer cancel()
		var err error
		branch.FetchedBranch, err = c.deps.Remotes.Fetch(ctx, plan.project.ID, source, limits)
		return branch, err
	}
	first := vcs.Commit{Message: "Imported from " + placeOf(source.Address), Author: plan.author, At: plan.project.CreatedAt}
	if plan.entries, err = c.deps.Files.CreateFetched(ctx, plan.project.ID, fetch, first); err != nil {
		return ImportResult{}, ofSource(err)
	}
	project, err := c.record(ctx, plan)
	if err != nil {
		c.abandon(ctx, plan.project.ID)
		return ImportResult{}, err
	}
	c.settle(ctx, project.ID)
	return ImportResult{View: c.views.Present(project), Notes: branch.notes()}, nil
}

// notedBranch notes what a branch lacks as its files pass.
type notedBranch struct {
	vcs.FetchedBranch
	omitted  core.Omissions
	pointers pointers
}

// Files implements vcs.FetchedBranch.
func (b *notedBranch) Files(ctx context.Context, add func(core.FileChange) error) (core.Omissions, error) {
	var err error
	b.omitted, err = b.FetchedBranch.Files(ctx, func(change core.FileChange) error {
		b.pointers.look(change.Path, change.Content)
		return add(change)
	})
	return b.omitted, err
}

func (b *notedBranch) notes() []core.Phrase {
	notes := append(told(b.omitted), b.pointers.notes()...)
	if b.History() != nil {
		notes = append(notes, core.Phrasef("The history did not come along, because the project cannot hold each of its versions: its first version is the newest of the repository"))
	}
	return notes
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

// settle makes the fetched history the project's. If it fails, the project's next touch does it.
func (c *Creations) settle(ctx context.Context, project core.ID) {
	if _, err := c.deps.Files.Reconcile(ctx, project); err != nil {
		c.deps.Log.WarnContext(ctx, "could not import the history of a project: its next use imports it", "project", project, "error", err)
	}
}

// placeOf is a repository's host and path, without the credentials in its address.
func placeOf(address string) string {
	found, err := url.Parse(address)
	if err != nil {
		return "elsewhere"
	}
	return found.Host + found.EscapedPath()
}

// ofSource adds the field that an error is about. It returns the service's own failures unchanged.
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
