// Package typecheck is the port to the compiler that finds type errors in a project's
// TypeScript, apart from everything else: what it reads is nobody's but the
// project's, and it writes nothing.
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
	// MaxMemoryBytes is what it may use.
	MaxMemoryBytes = 1 << 30
	// MaxOutputBytes is how much it may say.
	MaxOutputBytes = 1 << 20
	// MaxDiagnostics is how many places one report has.
	MaxDiagnostics = 100
	// MaxMessageBytes is the longest message of one, in bytes of UTF-8; longer ones are
	// cut.
	MaxMessageBytes = 2000
)

// Checker finds type errors. It may be used by many goroutines; checks beyond what
// the machine is good for wait.
type Checker interface {
	// Available returns nil when checks can run, and otherwise
	// core.CodeSandboxUnavailable with a message that says what to install or to set.
	// It is cheap after the first call.
	Available(ctx context.Context) error
	// Compiler returns the packages that the compiler itself consists of, as ranges by
	// name for a packages.Resolver; none where it needs none.
	Compiler() map[string]string
	// Check reads the project's files as they are on the disk and tells what is wrong
	// with their types. A compiler that reached a limit or fell over is a Report, not
	// an error.
	//
	// Errors have code core.CodeSandboxUnavailable where Available has one,
	// core.CodeNotFound when the project has no files, core.CodeUnavailable when the
	// packages are not there or the disk fails, or are ctx's.
	Check(ctx context.Context, project core.ID, task Task) (Report, error)
}

// Task says what to check.
type Task struct {
	// Config is the configuration, a tsconfig.json by whatever name.
	Config core.ProjectPath
	// Packages and Compiler are directories of packages.Set: the project's, "" for
	// none, and one of what Checker.Compiler asks for.
	Packages string
	Compiler string
}

// Report is what a check found.
type Report struct {
	// Diagnostics are in files of the project, MaxDiagnostics at most, in the
	// compiler's order. What it says of no place stands at the configuration, with
	// line 0. Columns count UTF-16 units, as editors do.
	Diagnostics []core.Diagnostic
	// Truncated says that there were more.
	Truncated bool
	// Ended says why the compiler did not come to its end; "" when it did.
	Ended Ended
}

// Ended is why a compiler did not come to its end.
type Ended string

// The reasons: MaxTime, MaxMemoryBytes or another limit of the sandbox, or a failure
// of its own.
const (
	EndedTime    Ended = "time"
	EndedMemory  Ended = "memory"
	EndedFailure Ended = "failure"
)
