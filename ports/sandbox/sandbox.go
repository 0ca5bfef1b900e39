// Package sandbox is the port to what runs commands on a project's files, apart
// from everything else on the machine.
package sandbox

import (
	"context"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
)

// Limits of a command.
const (
	// MaxLineBytes is the longest command line.
	MaxLineBytes = 32 << 10
	// MaxTime is how long a command may take.
	MaxTime = 2 * time.Minute
)

// Runner runs commands. It may be used by many goroutines.
type Runner interface {
	// Available returns nil when commands can run, and otherwise
	// core.CodeSandboxUnavailable with a message that says what to install or to
	// set. It is cheap after the first call.
	Available(ctx context.Context) error
	// Network returns nil when Run keeps commands to Command.Hosts, and otherwise
	// core.CodeSandboxUnavailable with a message that says why not. It is cheap
	// after the first call.
	Network(ctx context.Context) error
	// Run runs one line of shell in the directory of a project's files and waits
	// for its end. The command sees that directory, the machine's programs
	// (read-only), and a temporary directory of its own. It sees no environment of
	// the service, no other file, no other project, no process but its own, no
	// network but what Command.Hosts allow, and nothing of the project's repository,
	// which it cannot change either. Its input is empty.
	//
	// A command that fails is an Outcome, not an error, and so is one that was
	// ended because it reached a limit. When Run returns, nothing that the command
	// started runs any more, and what it wrote survives a power cut.
	//
	// It returns core.CodeSandboxUnavailable when there is no isolation, or when the
	// command has Hosts and Network returns an error; core.CodeValidationFailed as CheckLine says, core.CodeNotFound when the
	// project has no files, core.CodeUnavailable when the disk fails, and ctx's
	// error when ctx ends first.
	Run(ctx context.Context, project core.ID, command Command) (Outcome, error)
}

// Command is what to run.
type Command struct {
	// Line is for sh -c.
	Line string
	// Time bounds how long it runs. 0, and more than MaxTime, is MaxTime.
	Time time.Duration
	// Hosts are what the command may reach, by TLS on port 443 and by plain HTTP on
	// port 80, when it uses the proxy that HTTP_PROXY and HTTPS_PROXY name. A host
	// whose address belongs to the machine or its network is refused all the same.
	// Whatever goes another way finds no network, and without Hosts there is none.
	Hosts core.HostPatterns
}

// Bound is how long the command may really run.
func (c Command) Bound() time.Duration {
	if c.Time <= 0 || c.Time > MaxTime {
		return MaxTime
	}
	return c.Time
}

// CheckLine returns core.CodeValidationFailed for a line that no shell can be
// given: an empty one, one with NUL, one over MaxLineBytes.
func CheckLine(line string) error {
	switch {
	case strings.TrimSpace(line) == "":
		return core.Errorf(core.CodeValidationFailed, "the command is empty")
	case strings.ContainsRune(line, 0):
		return core.Errorf(core.CodeValidationFailed, "the command contains a NUL")
	case len(line) > MaxLineBytes:
		return core.Errorf(core.CodeValidationFailed, "the command is longer than %d bytes", MaxLineBytes)
	}
	return nil
}

// Outcome is what came of a command.
type Outcome struct {
	// Output is what it said on both of its streams, as Transcript.Text gives it.
	Output string
	// ExitCode is the shell's; 128 and more stands for a signal. It means nothing
	// when Ended is set.
	ExitCode int
	// Ended says which limit ended the command, "" when it ended by itself.
	Ended Limit
	// Refused are hosts that the command asked for and that are not among its Hosts,
	// sorted, MaxRefused at most.
	Refused []string
}

// MaxRefused bounds Outcome.Refused.
const MaxRefused = 20

// Limit names what a command has too much of.
type Limit string

// The limits that end a command. Other bounds, such as the size of one file, make
// the command's own calls fail.
const (
	LimitTime      Limit = "time"
	LimitProcesses Limit = "processes"
	LimitMemory    Limit = "memory"
	LimitDisk      Limit = "disk space"
	LimitOutput    Limit = "output"
	LimitNetwork   Limit = "network traffic"
)
