// Package typecheck is the port to the compiler that finds type errors in a project's
// TypeScript. It runs isolated: it reads only the project's files and writes nothing.
package typecheck

import (
	"context"
	"time"

	"github.com/atelierhq/atelier/core"
)

// Limits of one check.
const (
	// MaxTime is how long the compiler may take.
	MaxTime = 30 * time.Second
	// MaxMemoryBytes is how much memory it may use.
	MaxMemoryBytes = 1 << 30
	// MaxOutputBytes bounds its output.
	MaxOutputBytes = 1 << 20
	// MaxDiagnostics is how many places one report has.
	MaxDiagnostics = 100
	// MaxMessageBytes is the longest message of one, in bytes of UTF-8; longer ones are
	// cut.
	MaxMessageBytes = 2000
)

// Checker finds type errors. It may be used by many goroutines; checks beyond the
// machine's capacity wait.
type Checker interface {
	// Available returns nil if checks can run, else core.CodeSandboxUnavailable with a
	// message that says what to install or to set. It is cheap after the first call.
	Available(ctx context.Context) error
	// Compiler returns the packages of the compiler itself, as ranges by name for a
	// packages.Resolver; none if it needs none.
	Compiler() map[string]string
	// Check reads the project's files from the disk and returns their type errors. A
	// compiler that reached a limit or crashed is a Report, not an error.
	//
	// Errors have code core.CodeSandboxUnavailable if Available fails,
	// core.CodeNotFound if the project has no files, core.CodeUnavailable if the
	// packages are missing or the disk fails, or are ctx's.
	Check(ctx context.Context, project core.ID, task Task) (Report, error)
}

// Task says what to check.
type Task struct {
	// Config is the configuration, a tsconfig.json of any name. Options that older compilers had
	// mean what they meant there.
	Config core.ProjectPath
	// Packages and Compiler are directories of packages.Set: the project's, "" for
	// none, and that of Checker.Compiler.
	Packages string
	Compiler string
	// Functions says that the project's functions (core.FunctionsDir) are checked as well, with
	// the options of Config even if it does not include them. Their parameters need no types,
	// though: the service calls functions with what it documents.
	Functions bool
}

// Report is the result of a check.
type Report struct {
	// Diagnostics are in files of the project, at most MaxDiagnostics, in the
	// compiler's order. One without a place is at the configuration, with line 0.
	// Columns count UTF-16 units, as editors do.
	Diagnostics []core.Diagnostic
	// Truncated says that there were more.
	Truncated bool
	// Ended says why the compiler did not finish; "" if it did.
	Ended Abort
}

// Abort is why a compiler did not finish.
type Abort string

// The reasons: MaxTime, MaxMemoryBytes or another limit of the sandbox, or a failure
// of its own.
const (
	EndedTime    Abort = "time"
	EndedMemory  Abort = "memory"
	EndedFailure Abort = "failure"
)
