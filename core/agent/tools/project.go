package tools

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/search"
)

// Files is the files of a project. Paths come from core.ParsePath, errors carry core
// codes.
type Files interface {
	List(ctx context.Context) ([]core.FileEntry, error)
	// Read returns a file's content and its ETag.
	Read(ctx context.Context, path core.ProjectPath) (content []byte, etag string, err error)
	// Apply makes one change. ifMatch, if set, is the ETag that the file must have
	// (optimistic locking); otherwise the error has code core.CodePreconditionFailed.
	Apply(ctx context.Context, change core.FileChange, ifMatch string) (ChangeResult, error)
	Search(ctx context.Context, query search.Query) (search.Found, error)
}

// ChangeResult is the outcome of a change. ETag is that of a file that was written or renamed.
type ChangeResult struct {
	Action core.FileAction
	ETag   string
}

// Project is a project as the tools see it.
type Project interface {
	Files
	Backend
	// Syntax returns the syntax errors of content as a file of that name; none for a
	// kind of file that it does not know.
	Syntax(ctx context.Context, path core.ProjectPath, content []byte) ([]core.Diagnostic, error)
	// Check builds the project and returns the errors of the build, and warnings about pages
	// that work all the same. A publish judges as it does.
	Check(ctx context.Context) (wrong, warnings []core.Diagnostic, err error)
	// Console returns what the preview's page logged, the oldest first.
	Console(ctx context.Context) ([]string, error)
	// Run runs a line of shell among the project's files. It returns a report, also
	// if the command failed or was ended, and the files that it changed, also with an
	// error. Without a sandbox the error has code core.CodeSandboxUnavailable.
	Run(ctx context.Context, command string) (report string, changed []core.FileChanged, err error)
	// Network says in a sentence which part of the network commands can reach.
	Network(ctx context.Context) string
}
