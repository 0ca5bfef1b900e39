// Package vcs is the port to the projects' repositories.
package vcs

import (
	"context"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// Repositories holds one repository a project. It keeps to explicit directories,
// reads no configuration, attributes or hooks from the work tree, and runs
// nothing. Callers hold the project's lock; what is staged or committed when a
// call returns survives a power cut.
//
// A project without a repository has code core.CodeNotFound; a failure of the
// disk core.CodeUnavailable, and so a change under a lock that was lost (locks.Check).
type Repositories interface {
	History
	Duplicates
	Arrivals
	// Init makes an empty repository in an existing tree. A repository that is
	// there already is left as it is; one that a crash left half made is
	// completed.
	Init(ctx context.Context, project core.ID) error
	// Stage records the changes in the index, in order, in one step. The tree holds
	// them already; write changes carry the content that was written. A rename or
	// a delete of a directory takes everything staged below it along. A renamed
	// file is staged as the tree holds it, whether or not it was staged before.
	// After an error either all of it is staged or nothing.
	Stage(ctx context.Context, project core.ID, changes []core.FileChange) error
	// Commit makes a version of what is staged, or of the part of it that commit
	// takes: the rest stays staged, for a later version. A file that is taken takes
	// along that files in its way have gone: above it, where it needs a directory, or
	// below it, where there was one. When nothing differs from the last version, the second result is false. The version's time
	// is cut to the second, its message is CleanMessage's, and FilesChanged counts
	// the paths that differ from the version before: a renamed file counts twice.
	Commit(ctx context.Context, project core.ID, commit Commit) (core.Version, bool, error)
	// Log returns at most limit versions, the newest first, starting behind the
	// version before ("" for the start). Where lines of history meet, all versions are in
	// it, by their times. A version that
	// is not there has code core.CodeNotFound.
	Log(ctx context.Context, project core.ID, before string, limit int) ([]core.Version, error)
	// Changes returns a version and what sets it apart from the one before, sorted by
	// path. Paths that no project can hold, links and nested repositories are left
	// out. A version that is not there has code core.CodeNotFound, one that changed
	// more than MaxChanges paths or MaxChangesBytes core.CodePayloadTooLarge.
	Changes(ctx context.Context, project core.ID, version string) (core.Version, []Change, error)
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
	// Paths are what the version takes of what is staged, each with all below it;
	// the root stands for all. Nil takes everything as well, an empty list nothing.
	Paths []core.ProjectPath
	// Except are paths that it leaves staged although Paths has them, each with all
	// below it.
	Except []core.ProjectPath
}

// Whole reports whether the version takes everything that is staged.
func (c Commit) Whole() bool { return c.Paths == nil && len(c.Except) == 0 }

// Takes reports whether the version takes what is staged at a path.
func (c Commit) Takes(path string) bool {
	return (c.Paths == nil || covered(c.Paths, path)) && !covered(c.Except, path)
}

// covered reports whether path is one of paths or below one.
func covered(paths []core.ProjectPath, path string) bool {
	for _, above := range paths {
		rest, found := strings.CutPrefix(path, above.String())
		if above.IsRoot() || found && (rest == "" || rest[0] == '/') {
			return true
		}
	}
	return false
}

// The most that Repositories.Changes returns of one version: paths, and the bytes of
// all contents before and after together.
const (
	MaxChanges      = 10_000
	MaxChangesBytes = 256 << 20
)

// Change is one path that a version changed. A content is nil where there is no
// file, and not nil for an empty one. Both are equal when only the file's mode
// changed.
type Change struct {
	Path   core.ProjectPath
	Before []byte
	After  []byte
}

// CleanMessage is the form in which a version's message is kept: without white
// space at its ends, in valid UTF-8, without NUL.
func CleanMessage(message string) string {
	valid := strings.ToValidUTF8(message, "\ufffd")
	return strings.TrimSpace(strings.ReplaceAll(valid, "\x00", "\ufffd"))
}

// StagedFile is an entry of the index. Size and ModifiedNano are 0 when the tree
// no longer held that content by the time it was staged.
type StagedFile struct {
	Path         core.ProjectPath
	Size         int64
	ModifiedNano int64
}
