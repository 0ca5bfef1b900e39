// Package vcs is the port to the projects' repositories.
package vcs

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Repositories holds one repository a project. It keeps to explicit directories,
// reads no configuration, attributes or hooks from the work tree, and runs
// nothing. Callers hold the project's lock; what is staged or committed when a
// call returns survives a power cut.
//
// A project without a repository has code core.CodeNotFound; a failure of the
// disk core.CodeUnavailable.
type Repositories interface {
	// Init makes an empty repository in an existing tree. A repository that is
	// there already is left as it is.
	Init(ctx context.Context, project core.ID) error
	// Stage records the changes in the index. The tree holds them already; write
	// changes carry the content that was written.
	Stage(ctx context.Context, project core.ID, changes []core.FileChange) error
	// Commit makes a version of what is staged. When nothing is, the second result
	// is false.
	Commit(ctx context.Context, project core.ID, commit Commit) (core.Version, bool, error)
	// Log returns at most limit versions, the newest first, starting behind the
	// version before ("" for the start).
	Log(ctx context.Context, project core.ID, before string, limit int) ([]core.Version, error)
	// Repair clears what a crash left behind: stale locks and half-written files.
	// It makes an unreadable index anew from the last version. The result says
	// whether it did, so that the caller stages the tree again.
	Repair(ctx context.Context, project core.ID) (rebuilt bool, err error)
	// Staged returns the paths in the index, sorted, with the size and the
	// modification time that each had when it was staged.
	Staged(ctx context.Context, project core.ID) ([]StagedFile, error)
}

// Commit is a version to be made. ChatID, when set, becomes a trailer.
type Commit struct {
	Message string
	Author  core.Author
	At      core.Time
	ChatID  *core.ID
}

// StagedFile is an entry of the index.
type StagedFile struct {
	Path         core.ProjectPath
	Size         int64
	ModifiedNano int64
}
