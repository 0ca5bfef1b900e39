// Package vcs is the port to the projects' repositories.
package vcs

import (
	"context"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// Repositories has one repository per project. It only uses explicit directories, reads no
// configuration, attributes or hooks from the work tree, and runs nothing. Callers hold the
// project's lock. When a call returns, what it staged or committed survives a power cut.
//
// A project without a repository has code core.CodeNotFound. A failure of the disk has
// core.CodeUnavailable, and so has a change under a lost lock (locks.Check).
type Repositories interface {
	History
	Duplicates
	Arrivals
	Joins
	// Init makes an empty repository in an existing tree. It is idempotent: it leaves an existing
	// repository unchanged, and completes one that a crash left unfinished.
	Init(ctx context.Context, project core.ID) error
	// Stage records the changes in the index, in order, atomically. The tree already has them;
	// write changes carry the content that was written. A rename or a delete of a directory applies
	// to everything staged below it. A renamed file is staged with its content in the tree, whether
	// or not it was staged before. After an error either all changes are staged or none.
	Stage(ctx context.Context, project core.ID, changes []core.FileChange) error
	// Commit makes a version of what is staged, or of the part of it that commit selects; the rest
	// stays staged, for a later version. Selecting a file also selects the removal of files that
	// blocked it: one above it, where it needs a directory, or those below it, where there was one.
	// If nothing differs from the last version, the second result is false. The version's time is
	// truncated to the second, its message is from CleanMessage, and FilesChanged counts the paths
	// that differ from the version before: a renamed file counts twice.
	Commit(ctx context.Context, project core.ID, commit Commit) (core.Version, bool, error)
	// Log returns at most limit versions, the newest first, starting after the version before (""
	// for the newest). A history with merges has the versions of all branches, by their times. It
	// returns core.CodeNotFound if there is no such version.
	Log(ctx context.Context, project core.ID, before string, limit int) ([]core.Version, error)
	// Changes returns a version and its changes from the one before, sorted by path. Invalid paths,
	// links and nested repositories are left out. It returns core.CodeNotFound if there is no such
	// version, and core.CodePayloadTooLarge for more than MaxChanges paths or MaxChangesBytes.
	Changes(ctx context.Context, project core.ID, version string) (core.Version, []Change, error)
	// Repair removes the remains of a crash: stale locks and half-written files. It rebuilds an
	// unreadable index from the last version; rebuilt says so, so that the caller stages the tree
	// again.
	Repair(ctx context.Context, project core.ID) (rebuilt bool, err error)
	// Staged returns the paths in the index, sorted, with the size and the
	// modification time that each had when it was staged.
	Staged(ctx context.Context, project core.ID) ([]StagedFile, error)
}

// Commit describes a version to make. The mark of ChatID, if that is
// set, becomes a trailer: versions have core.Version.Chat, and never ChatID.
type Commit struct {
	Message string
	Author  core.Author
	At      core.Time
	ChatID  *core.ID
	// Paths selects the staged changes for the version, each path with everything below it; the
	// root selects all. Nil selects everything as well, an empty list nothing.
	Paths []core.ProjectPath
	// Except are paths that stay staged although Paths selects them, each with everything below it.
	Except []core.ProjectPath
}

// Whole reports whether the commit selects everything that is staged.
func (c Commit) Whole() bool { return c.Paths == nil && len(c.Except) == 0 }

// Takes reports whether the commit selects a path.
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

// Change is one path that a version changed. A content is nil if there is no file, and not nil for
// an empty one. Both are equal if only the file's mode changed.
type Change struct {
	Path   core.ProjectPath
	Before []byte
	After  []byte
}

// CleanMessage returns a version's message in its stored form: without white space at its ends, in
// valid UTF-8, without NUL.
func CleanMessage(message string) string {
	valid := strings.ToValidUTF8(message, "\ufffd")
	return strings.TrimSpace(strings.ReplaceAll(valid, "\x00", "\ufffd"))
}

// StagedFile is an entry of the index. Size and ModifiedNano are 0 if the tree no longer had that
// content when it was staged.
type StagedFile struct {
	Path         core.ProjectPath
	Size         int64
	ModifiedNano int64
}
