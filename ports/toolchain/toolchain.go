// Package toolchain is the port to the sandbox for a project's own tools: its package
// manager, its development server, its build.
package toolchain

import (
	"context"
	"io/fs"
	"net"
	"net/netip"
	"time"

	"github.com/atelierhq/atelier/core"
)

// Limits of tools and their output.
const (
	// MaxInstallTime and MaxBuildTime bound Install and Build: some ten times what the largest
	// frameworks need, for machines that are slow or busy. A publish needs both.
	MaxInstallTime = 10 * time.Minute
	MaxBuildTime   = 5 * time.Minute
	// MaxLineBytes is the longest line that Task.Say gets; longer ones are cut.
	MaxLineBytes = 4 << 10
	// MaxBuiltFiles and MaxBuiltBytes bound the output of a build.
	MaxBuiltFiles = 20_000
	MaxBuiltBytes = 256 << 20
)

// Registry is the address of the registry of packages for tools, the only thing that
// they reach on any network.
const Registry = "http://127.0.0.1:4873/"

// Toolchain runs tools on projects' files. It may be used by many goroutines.
//
// Tools see the project's files, its installed packages at node_modules, the
// machine's programs (read-only) and a temporary directory. They see no environment
// of the service, no other project, no process but their own and nothing of the
// repository, and reach nothing but the Registry. A tool that fails is an Outcome,
// not an error, and so is one that was ended because it reached a limit.
//
// Errors have code core.CodeSandboxUnavailable if Available fails, core.CodeNotFound
// if the project has no files, core.CodeUnavailable if the disk fails, or are ctx's.
type Toolchain interface {
	// Available returns nil if tools can run, else core.CodeSandboxUnavailable with a
	// message that says what to install or to set. It is cheap after the first call.
	Available(ctx context.Context) error
	// Install makes the installed packages those of key. It is idempotent: if they
	// are installed already, it does nothing and returns the zero Outcome. Otherwise
	// it runs the task, which succeeds with exit code 0. The result of a failed
	// installation is never used. Installations of one project take turns.
	Install(ctx context.Context, project core.ID, key string, task Task) (Outcome, error)
	// Serve starts a server and returns as soon as it runs. The server runs until it
	// ends by itself or is stopped, or this process ends.
	Serve(ctx context.Context, project core.ID, task Task) (Server, error)
	// Build runs the task on a copy of the project's files, with the installed
	// packages, and returns its output.
	Build(ctx context.Context, project core.ID, task BuildTask) (BuildOutput, error)
	// Remove removes a project's installed packages; it is idempotent.
	Remove(ctx context.Context, project core.ID) error
}

// Task is a program to run.
type Task struct {
	// Line is for sh -c.
	Line string
	// Env is added to the environment that every tool has.
	Env map[string]string
	// Say gets the output of both streams, line by line without the line ends, as
	// valid UTF-8, from one goroutine at a time. It must be quick. Lines that come
	// too fast are left out. nil ignores the output.
	Say func(line string)
}

// BuildTask is a build. Files are its input, without paths for which
// core.ProjectPath.Generated is true. Outputs are directories, relative and with
// slashes, in which the build may leave pages: the first with an index.html counts.
type BuildTask struct {
	Task
	Files   fs.FS
	Outputs []string
}

// Outcome is how a program ended.
type Outcome struct {
	// ExitCode is the shell's; 128 and more means a signal. It is meaningless if
	// Ended is set.
	ExitCode int
	// Ended says which limit ended it, in words such as "memory", "" if it ended by
	// itself or was stopped.
	Ended string
}

// Good reports whether the program succeeded.
func (o Outcome) Good() bool { return o.ExitCode == 0 && o.Ended == "" }

// BuildOutput is the output of a build.
type BuildOutput struct {
	Outcome
	// Output is the one of BuildTask.Outputs that has the pages, "" if none has.
	Output string
	// Files are the files in Output, sorted by path, without links and anything else
	// that is not a regular file. TooLarge says that they exceed the limits; then
	// Files is empty.
	Files    []File
	TooLarge bool
}

// File is a file that a build made, by its path below the output directory.
type File struct {
	Path    string
	Content []byte
}

// Server is a running server. It may be used by many goroutines.
type Server interface {
	// Listening returns the addresses at which its processes listen, sorted by port,
	// without those of the toolchain itself.
	Listening() []netip.AddrPort
	// Dial connects to one of them.
	Dial(ctx context.Context, address netip.AddrPort) (net.Conn, error)
	// Done is closed when the server has ended with everything that it had started.
	Done() <-chan struct{}
	// Outcome is how it ended, once Done is closed.
	Outcome() Outcome
	// Stop ends it and returns when Done is closed; it is idempotent.
	Stop()
}
