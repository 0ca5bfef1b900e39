// Package toolchain is the port to what runs a project's own tools, apart from
// everything else: its package manager, its development server, its build.
package toolchain

import (
	"context"
	"io/fs"
	"net"
	"net/netip"
	"time"

	"github.com/atelierhq/atelier/core"
)

// Limits of what tools do and give.
const (
	// MaxInstallTime and MaxBuildTime bound Install and Build, which a publish has
	// both of.
	MaxInstallTime = 3 * time.Minute
	MaxBuildTime   = 2 * time.Minute
	// MaxLineBytes is the longest line that Task.Say gets; longer ones are cut.
	MaxLineBytes = 4 << 10
	// MaxBuiltFiles and MaxBuiltBytes bound what a build may give.
	MaxBuiltFiles = 20_000
	MaxBuiltBytes = 256 << 20
)

// Registry is where tools find the registry of packages, and nothing else of any
// network.
const Registry = "http://127.0.0.1:4873/"

// Toolchain runs tools on projects' files. It may be used by many goroutines.
//
// Tools see the project's files, the packages that are installed for it at
// node_modules, the machine's programs (read-only) and a temporary directory. They
// see no environment of the service, no other project, no process but their own and
// nothing of the repository, and reach nothing but the Registry. A tool that fails
// is an Outcome, not an error, and so is one that was ended because it reached a
// limit.
//
// Errors have code core.CodeSandboxUnavailable where Available has one,
// core.CodeNotFound when the project has no files, core.CodeUnavailable when the
// disk fails, or are ctx's.
type Toolchain interface {
	// Available returns nil when tools can run, and otherwise
	// core.CodeSandboxUnavailable with a message that says what to install or to
	// set. It is cheap after the first call.
	Available(ctx context.Context) error
	// Install makes the installed packages those of key. When they are already it
	// does nothing and returns the zero Outcome; else it runs the task, and they are
	// when that exits with 0. What an installation leaves that did not end well, for
	// whatever reason, is never used. Installations of one project take turns.
	Install(ctx context.Context, project core.ID, key string, task Task) (Outcome, error)
	// Serve starts a server and returns as soon as it runs. It goes on until it ends
	// by itself or is stopped, or this process ends.
	Serve(ctx context.Context, project core.ID, task Task) (Server, error)
	// Build runs the task on a copy of the project's files, beside the packages that
	// are installed, and returns what it left there.
	Build(ctx context.Context, project core.ID, task BuildTask) (Built, error)
	// Remove drops the packages that are installed for a project. None is no error.
	Remove(ctx context.Context, project core.ID) error
}

// Task is a program to run.
type Task struct {
	// Line is for sh -c.
	Line string
	// Env is added to the environment that every tool has.
	Env map[string]string
	// Say gets what the program says on both of its streams, line by line without
	// the line ends, as valid UTF-8, from one goroutine at a time. It must be quick.
	// Lines that come too fast are left out. nil hears nothing.
	Say func(line string)
}

// BuildTask is a build. Files are what it works on, without what
// core.ProjectPath.Generated names. Outputs are directories, relative and with
// slashes, where the build may leave pages: the first that has an index.html counts.
type BuildTask struct {
	Task
	Files   fs.FS
	Outputs []string
}

// Outcome is how a program ended.
type Outcome struct {
	// ExitCode is the shell's; 128 and more stands for a signal. It means nothing
	// when Ended is set.
	ExitCode int
	// Ended says which limit ended it, in words such as "memory", "" when it ended by
	// itself or was stopped.
	Ended string
}

// Good reports whether the program did what it was to do.
func (o Outcome) Good() bool { return o.ExitCode == 0 && o.Ended == "" }

// Built is what a build gave.
type Built struct {
	Outcome
	// Output is which of BuildTask.Outputs has the pages, "" when none has.
	Output string
	// Files are those of Output, sorted by path. Links and other things that are no
	// files are left out. TooLarge says that they are more than the limits allow;
	// then there are none.
	Files    []File
	TooLarge bool
}

// File is a file that a build made, by its path below the output directory.
type File struct {
	Path    string
	Content []byte
}

// Server is a server under way. It may be used by many goroutines.
type Server interface {
	// Listening returns the addresses at which its processes take connections, sorted
	// by port; those of the toolchain itself are not among them.
	Listening() []netip.AddrPort
	// Dial connects to one of them.
	Dial(ctx context.Context, address netip.AddrPort) (net.Conn, error)
	// Done is closed when the server has ended with all that it had started.
	Done() <-chan struct{}
	// Outcome is how it ended, once Done is closed.
	Outcome() Outcome
	// Stop ends it and returns when Done is closed. It may be called again.
	Stop()
}
