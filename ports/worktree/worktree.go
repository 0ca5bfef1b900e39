// Package worktree is the port to the projects' files: the source of truth.
package worktree

import (
	"context"
	"io"
	"io/fs"

	"github.com/atelierhq/atelier/core"
)

// Trees has one tree per project, keyed by the project's id.
type Trees interface {
	// Create makes an empty tree. It returns core.CodeConflict if it exists.
	Create(ctx context.Context, project core.ID) error
	// Open returns the tree of a project. It returns core.CodeUnavailable if the directory
	// of all trees is missing (a disk that is not mounted), and core.CodeNotFound if only
	// this tree is missing.
	Open(ctx context.Context, project core.ID) (Tree, error)
	// Copy copies the files of project from at paths into the empty tree of project to,
	// with contents, modification times and executable bits. It leaves out anything but
	// regular files, and makes directories as needed. When Copy returns, the files survive
	// a power cut; after an error some may exist, or be incomplete. Later changes of either
	// tree do not affect the other.
	Copy(ctx context.Context, from, to core.ID, paths []core.ProjectPath) error
	// Remove deletes the tree with everything in it, including what Walk skips. It is
	// idempotent: a missing tree is no error. Under a lost lock the tree stays.
	Remove(ctx context.Context, project core.ID) error
	// Repair removes temporary contents that an earlier holder of the project's lock was
	// about to move into place, so that a holder that hung can no longer do so. Under a
	// lost lock it removes nothing.
	Repair(ctx context.Context, project core.ID) error
	// List returns the projects that have a tree, in ascending order. It skips entries that
	// do not look like a tree. It returns core.CodeUnavailable if the directory of all
	// trees is missing.
	List(ctx context.Context) ([]core.ID, error)
	// Check returns core.CodeUnavailable if trees cannot be read, made and written. It
	// makes a test write and removes it.
	Check(ctx context.Context) error
}

// Tree is the files of one project, confined to their root. Links are never followed, even
// inside the tree, where they could lead to the repository. A path at or behind a link out
// of the tree has code core.CodePathTraversal, in reads and changes alike. Anything else
// but regular files and directories (links inside the tree, pipes, sockets, devices) counts
// as missing. It is neither opened nor listed, a write or a rename replaces it, and where a
// directory is needed it has code core.CodeConflict.
//
// A Tree may be used by many goroutines; the project's lock serialises writers.
type Tree interface {
	// Open opens a file for reading. A directory has code core.CodeNotFound.
	// The caller closes it.
	Open(ctx context.Context, path core.ProjectPath) (File, error)
	// Stat describes a file or a directory, else it returns core.CodeNotFound.
	Stat(ctx context.Context, path core.ProjectPath) (Info, error)
	// Apply carries out changes in order and returns a result for each, in the
	// same order. Each is atomic: a reader, and a crash, find the old content or
	// the new one, never a mixture. When Apply returns, the changes whose result
	// has no error survive a power cut. Syncs are shared between the changes.
	//
	// Changing the root has code core.CodeInvalidPath. A write, and a rename at its target,
	// makes the parent directories; if a directory has the path, or a file is where a
	// directory is needed, the code is core.CodeConflict. A written file keeps its
	// executable bit unless its change sets it.
	//
	// A rename moves a file, or a directory with everything in it. It has code
	// core.CodeNotFound for a missing source, and core.CodeConflict for an existing target,
	// unless both are files, when it replaces the target. Moving a directory into itself
	// has core.CodeConflict, too. A delete removes a file, or a directory with everything
	// in it; a missing path has code core.CodeNotFound.
	//
	// A full disk, and any other failure of it, has code core.CodeUnavailable. So has a
	// change after the caller's lock was lost (locks.Check), which has no effect.
	Apply(ctx context.Context, changes []core.FileChange) []Result
	// Walk calls visit for every regular file in ascending order of its path, byte by byte,
	// without the repository (".git") and paths for which ProjectPath.Generated is true. It
	// follows no links and skips names that are not a valid ProjectPath. It stops at
	// visit's error and returns it.
	Walk(ctx context.Context, visit func(Info) error) error
	// Size returns how many bytes the tree takes, including the repository and everything
	// else that Walk skips: for each file its length, or its space on the disk if that is
	// more.
	Size(ctx context.Context) (int64, error)
	// FS returns a live, read-only view for builders and searches, with the same
	// confinement; a path behind a link is fs.ErrNotExist, even if the link leads out. It
	// has names that are not a valid ProjectPath, but not ".git", in any case and at any
	// depth. It implements fs.ReadFileFS, fs.ReadDirFS and fs.StatFS.
	FS() fs.FS
}

// Info describes a file or a directory. Size is in bytes, 0 for a directory.
type Info struct {
	Path     core.ProjectPath
	Size     int64
	Modified core.Time
	// ModifiedNano is the whole modification time in nanoseconds since the Unix
	// epoch: two contents of one file differ in it or in Size.
	ModifiedNano int64
	Dir          bool
}

// File is an open file.
type File interface {
	io.ReadSeekCloser
	Info() Info
}

// Result is the outcome of one change. Info describes a written or renamed file; Created
// says that it did not exist before.
type Result struct {
	Info    Info
	Created bool
	Err     error
}
