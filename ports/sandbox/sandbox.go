// Package sandbox is the port to the sandbox, which runs commands on a project's files, isolated
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
	// Available returns nil if commands can run, else core.CodeSandboxUnavailable with a message
	// that says what to install or to set. It is cheap after the first call.
	Available(ctx context.Context) error
	// Network returns nil if Run can restrict commands to Command.Hosts, else
	// core.CodeSandboxUnavailable with a message that says why not. It is cheap after the first
	// call.
	Network(ctx context.Context) error
	// Run runs one line of shell in the directory of a project's files and waits for its end. The
	// command sees that directory, the machine's programs (read-only), and a temporary directory of
	// its own. It sees no environment of the service, no other file or project, no process but its
	// own, and no network but Command.Hosts. It can neither see nor change the project's
	// repository. Its input is empty.
	//
	// A command that fails is an Outcome, not an error, and so is one that was ended because it
	// reached a limit. When Run returns, nothing that the command started still runs, and its
	// writes survive a power cut.
	//
	// It returns core.CodeSandboxUnavailable if there is no isolation, or if the command has Hosts
	// and Network returns an error. It returns core.CodeValidationFailed if CheckLine does,
	// core.CodeNotFound if the project has no files, core.CodeUnavailable if the disk fails, and
	// ctx's error if ctx ends first.
	Run(ctx context.Context, project core.ID, command Command) (Outcome, error)
}

// Command is a program to run.
type Command struct {
	// Line is for sh -c.
	Line string
	// Time bounds how long it runs. 0, and more than MaxTime, means MaxTime.
	Time time.Duration
	// Hosts are the hosts that the command may reach, by TLS on port 443 and by plain HTTP on port
	// 80, through the proxy in HTTP_PROXY and HTTPS_PROXY. A host whose address belongs to the
	// machine or its network is refused nevertheless. Any other connection finds no network, and
	// without Hosts there is none.
	Hosts core.HostPatterns
}

// Bound is the effective bound of the command's time.
func (c Command) Bound() time.Duration {
	if c.Time <= 0 || c.Time > MaxTime {
		return MaxTime
	}
	return c.Time
}

// CheckLine returns core.CodeValidationFailed for an invalid line: an empty one, one with NUL, or
// one over MaxLineBytes.
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

// Outcome is the result of a command.
type Outcome struct {
	// Output is the output of both of its streams, from Transcript.Text.
	Output string
	// ExitCode is the shell's; 128 and more means a signal. It is meaningless if Ended is set.
	ExitCode int
	// Ended says which limit ended the command, "" if it ended by itself.
	Ended Limit
	// Refused are requested hosts that are not among its Hosts, sorted, at most MaxRefused.
	Refused []string
}

// MaxRefused bounds Outcome.Refused.
const MaxRefused = 20

// Limit names a limit that ended a command.
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
