package vcs

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// History is the part of Repositories that reads single versions, and commits them again.
type History interface {
	// Version returns a version. It returns core.CodeNotFound if the id does not name
	// one, even if it names another object.
	Version(ctx context.Context, project core.ID, version string) (core.Version, error)
	// Compare returns the files in which version to differs from version from, sorted
	// by path; from "" means no files at all. Invalid paths, links and nested
	// repositories are left out. It returns core.CodeNotFound if there is no such
	// version, and core.CodePayloadTooLarge for more than MaxCompared files.
	Compare(ctx context.Context, project core.ID, from, to string) ([]Difference, error)
	// Unversioned returns the files in which the index differs from the newest version,
	// like Compare.
	Unversioned(ctx context.Context, project core.ID) ([]Difference, error)
	// Content returns the content of a blob, not nil for an empty one. It returns
	// core.CodePayloadTooLarge for a blob over limit bytes, and core.CodeNotFound for a
	// missing one.
	Content(ctx context.Context, project core.ID, blob Blob, limit int64) ([]byte, error)
	// Holds reports whether a blob holds exactly this content. It compares the content with
	// the blob's id alone, so it reads no repository and takes a blob of any project.
	Holds(blob Blob, content []byte) bool
	// Recommit stores a version with the files of an earlier one on top of the newest.
	// Arrive and Settle can then make it the project's; until then no log has it. The
	// commit's paths are ignored. If the newest version already has those files, the
	// second result is false. It returns core.CodeNotFound if there is no such version.
	Recommit(ctx context.Context, project core.ID, version string, commit Commit) (core.Version, bool, error)
}

// MaxCompared is the most files in which two compared versions may differ.
const MaxCompared = 100_000

// Difference is one file that differs between two versions; Before or After is nil if
// the file does not exist there.
type Difference struct {
	Path          core.ProjectPath
	Before, After *Blob
}

// Blob is a file in a version. ID is git's SHA-1 of its content, in hexadecimal.
type Blob struct {
	ID         string
	Executable bool
}

// Duplicates is the part of Repositories that makes copies of repositories.
type Duplicates interface {
	// Duplicate copies the versions of project from, with their ids, and its index into
	// the repository of project to, which Init has just made. The tree of to already
	// has the files: those with the size and time from their staging count as staged.
	// Only objects that the versions and the index refer to are copied. The versions
	// appear atomically, at the end.
	Duplicate(ctx context.Context, from, to core.ID) error
	// Duplicated reports whether Duplicate made this repository's versions and Repair
	// has not been called since, so that nobody has staged anything in it.
	Duplicated(ctx context.Context, project core.ID) (bool, error)
}
