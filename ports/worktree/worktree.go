// Package worktree is the port to the projects' files: the source of truth.
package worktree

import (
	"context"
	"io"
	"io/fs"

	"github.com/atelierhq/atelier/core"
)

// Trees holds one tree a project, keyed by the project's id.
type Trees interface {
	// Create makes an empty tree. One that exists has code core.CodeConflict.
	Create(ctx context.Context, project core.ID) error
	// Open returns the tree of a project. It returns core.CodeUnavailable when the
	// place that holds all trees is not there (a disk that is not mounted), and
	// core.CodeNotFound when only this tree is not.
	Open(ctx context.Context, project core.ID) (Tree, error)
	// Copy gives the empty tree of project to the files that project from has at
	// paths: their contents, modification times, and whether they may be executed.
	// What is no regular file is left out, and directories are made as they are needed.
	// When Copy returns, the files survive a power cut; after an error some may be
	// there, or torn. No later change of either tree shows in the other.
	Copy(ctx context.Context, from, to core.ID, paths []core.ProjectPath) error
	// Remove deletes the tree with everything in it, also what Walk does not show.
	// A tree that is not there is no error; under a lock that was lost the tree stays.
	Remove(ctx context.Context, project core.ID) error
	// Repair clears away contents that an earlier holder of the project's lock was about to
	// put in their places. One that stood still and goes on then cannot do that any more.
	// Under a lock that was lost it clears away nothing.
	Repair(ctx context.Context, project core.ID) error
	// List returns the projects that have a tree, in ascending order. What does not
	// look like a tree is passed over. It returns core.CodeUnavailable when the
	// place that holds all trees is not there.
	List(ctx context.Context) ([]core.ID, error)
	// Check reports core.CodeUnavailable when trees cannot be read, made and written.
	// It writes what nobody reads, and leaves nothing.
	Check(ctx context.Context) error
}

// Tree is the files of one project, confined to their root. Links are never
// followed, wherever they lead: one that stays inside could still lead to the
// repository. A path at or behind a link that leads out of the tree has code
// core.CodePathTraversal, in reads and changes alike. Anything else but regular
// files and directories (links that stay inside, pipes, sockets, devices) counts
// as not there: it is neither opened nor listed, a write or a rename puts its file
// in its place, and in the place of a directory it has code core.CodeConflict.
//
// A Tree may be used by many goroutines; writers of one path are told apart by
// whoever holds the project's lock.
type Tree interface {
	// Open opens a file for reading. A directory has code core.CodeNotFound.
	// The caller closes it.
	Open(ctx context.Context, path core.ProjectPath) (File, error)
	// Stat describes a file or a directory, or returns core.CodeNotFound.
	Stat(ctx context.Context, path core.ProjectPath) (Info, error)
	// Apply carries out changes in order and returns a result for each, in the
	// same order. Each is atomic: a reader, and a crash, find the old content or
	// the new one, never a mixture. When Apply returns, the changes whose result
	// has no error survive a power cut. Syncs are shared between the changes.
	//
	// The root cannot be changed: core.CodeInvalidPath. A write, and a rename at
	// its target, makes the directories above it; a directory in the way, or a file
	// where a directory would have to be, has code core.CodeConflict. A rename
	// moves a file, or a directory with all in it; a source that is not there has
	// code core.CodeNotFound, a target that exists core.CodeConflict unless both
	// are files, in which case it is replaced; so has a directory's move into
	// itself. A written file keeps whether it may be executed unless its change
	// says. A delete removes a
	// file, or a directory with all in it; nothing there has code
	// core.CodeNotFound. A disk that is full, and any other failure of it, has code
	// core.CodeUnavailable; so has a change that comes after the caller's lock was lost
	// (locks.Check), and nothing of it happens.
	Apply(ctx context.Context, changes []core.FileChange) []Result
	// Walk calls visit for every regular file in ascending order of its path,
	// byte by byte, but the repository (".git") and what ProjectPath.Generated
	// says. Links are not followed; names that no ProjectPath can hold are
	// passed over. It stops at visit's error and returns it.
	Walk(ctx context.Context, visit func(Info) error) error
	// Size is how many bytes the tree takes, with the repository and all else that Walk
	// does not show: for each file its length, or its place on the disk when that is more.
	Size(ctx context.Context) (int64, error)
	// FS is a live, read-only view for builders and searches, with the same
	// confinement; a path behind a link is fs.ErrNotExist, also when the link leads
	// out. Names that no ProjectPath can hold are in it, but ".git", in any case and
	// at any depth, is not. It implements fs.ReadFileFS, fs.ReadDirFS and fs.StatFS.
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

// Result is what became of one change. Info describes a written or renamed file;
// Created says that it was not there before.
type Result struct {
	Info    Info
	Created bool
	Err     error
}
