package vcs

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// History looks at single versions, and makes them anew, as part of Repositories.
type History interface {
	// Version returns a version. One that is not there has code core.CodeNotFound,
	// whatever else of the repository the id may name.
	Version(ctx context.Context, project core.ID, version string) (core.Version, error)
	// Compare returns the files in which version to differs from version from, sorted
	// by path; from "" stands for no files at all. Paths that no project can hold,
	// links and nested repositories are left out. A version that is not there has
	// code core.CodeNotFound; more than MaxCompared files core.CodePayloadTooLarge.
	Compare(ctx context.Context, project core.ID, from, to string) ([]Difference, error)
	// Unversioned returns the files in which what is staged differs from the newest
	// version, as Compare does.
	Unversioned(ctx context.Context, project core.ID) ([]Difference, error)
	// Content returns what a blob holds, not nil for an empty one. One over limit bytes
	// has code core.CodePayloadTooLarge, one that the repository does not have
	// core.CodeNotFound.
	Content(ctx context.Context, project core.ID, blob Blob, limit int64) ([]byte, error)
	// Recommit stores a version with the files of an earlier one behind the newest,
	// where Arrive can let the project go; until it has gone there, no log has it. The
	// commit's paths do not count. When the newest version has those files already, the
	// second result is false. A version that is not there has code core.CodeNotFound.
	Recommit(ctx context.Context, project core.ID, version string, commit Commit) (core.Version, bool, error)
}

// MaxCompared is how many files two versions that are compared may differ in.
const MaxCompared = 100_000

// Difference is one file that differs between two versions; Before or After is nil
// where there is none.
type Difference struct {
	Path          core.ProjectPath
	Before, After *Blob
}

// Blob is a file as a version has it. ID is the SHA-1, in hexadecimal, that git gives
// its content.
type Blob struct {
	ID         string
	Executable bool
}

// Duplicates makes copies of repositories, as part of Repositories.
type Duplicates interface {
	// Duplicate gives the repository of project to, which Init has just made, the
	// versions of project from under the ids that they have, and its index. The tree
	// of to holds the files already: those that still have the size and time at which
	// they were staged count as staged. Only what the versions and the index name is
	// copied. The versions appear in one step, at the end.
	Duplicate(ctx context.Context, from, to core.ID) error
	// Duplicated reports whether Duplicate made this repository's versions and Repair
	// has not been called since, so that nobody has staged anything in it.
	Duplicated(ctx context.Context, project core.ID) (bool, error)
}
