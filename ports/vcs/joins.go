package vcs

import (
	"context"

	"github.com/atelierhq/atelier/core"
)

// Joins is the part of Repositories that joins two lines of versions, such as a project's and a
// branch that was pulled.
type Joins interface {
	// Base returns a newest version on which both versions build, one of them if the other
	// builds on it, and "" if they have no history in common. If there are several, any is
	// returned. It returns core.CodeNotFound if there is no such version.
	Base(ctx context.Context, project core.ID, one, other string) (string, error)
	// Join stores a version with two parents. Arrive and Settle can then make it the
	// project's; until then no log has it. The commit's paths are ignored. FilesChanged counts
	// the files that differ from Ours. It returns core.CodeNotFound if there is no such version.
	Join(ctx context.Context, project core.ID, join Join) (core.Version, error)
}

// Join describes a version that joins two.
type Join struct {
	// Ours and Theirs are the parents, in this order.
	Ours, Theirs string
	Commit       Commit
	// Files are the differences from the files of Ours, each path once. No file lies below
	// another.
	Files []JoinedFile
}

// JoinedFile is one file of a Join.
type JoinedFile struct {
	Path core.ProjectPath
	// Blob is a file of the repository; nil is one with Content.
	Blob *Blob
	// Content is the content of a file without Blob; nil removes the path.
	Content    []byte
	Executable bool
}
