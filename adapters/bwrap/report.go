package bwrap

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/sandbox"
)

// Finding is one mechanism that keeps commands apart, for an operator to read.
type Finding struct {
	Name string
	// Text says how it works here; Err says why it does not.
	Text string
	Err  error
}

// Report checks the mechanisms that keep commands apart, by what a command observes of
// them and not by what was configured. If no commands run, the sandbox is the only
// finding.
func (r *Runner) Report(ctx context.Context) []Finding {
	switch err := r.Available(ctx); {
	case err != nil:
		return []Finding{{Name: "sandbox", Err: err}}
	case r.config.Mode == ModeUnsafe:
		return []Finding{
			{Name: "sandbox", Text: "UNSAFE: the agent's commands run WITHOUT ISOLATION and can read, change and reach everything that this service can (SANDBOX=unsafe)"},
			{Name: "command limits", Text: fmt.Sprintf("a watcher ends commands over %s and %s", r.config.Limits.processes(), r.config.Limits.memory())},
			{Name: "command network", Text: "UNSAFE: the whole network, whatever a workspace allows"},
		}
	}
	seen, err := r.inspect(ctx)
	if err != nil {
		return []Finding{{Name: "sandbox", Err: err}}
	}
	return []Finding{r.findProgram(ctx), findNamespaces(seen), findFilter(seen), r.findLimits(), r.findNetwork(ctx)}
}

// namespaceKinds are the namespaces that a command does not share with the machine.
func namespaceKinds() []string {
	return []string{"user", "pid", "net", "mnt", "ipc", "uts", "cgroup"}
}

// inspect returns what a command finds out about itself, by name.
func (r *Runner) inspect(ctx context.Context) (map[string]string, error) {
	line := "cat /proc/self/status; for kind in " + strings.Join(namespaceKinds(), " ") + "; do echo ns/$kind: $(readlink /proc/self/ns/$kind); done"
	dir, remove, err := emptyProject()
	if err != nil {
		return nil, err
	}
	defer remove()
	outcome, err := task{limits: r.config.Limits, dir: dir, command: sandbox.Command{Line: line, Time: probeTime}}.run(ctx, r.probe().cage)
	if err != nil {
		return nil, err
	}
	seen := map[string]string{}
	for said := range strings.Lines(outcome.Output) {
		name, value, _ := strings.Cut(said, ":")
		seen[name] = strings.TrimSpace(value)
	}
	return seen, nil
}

func (r *Runner) findProgram(ctx context.Context) Finding {
	cage := r.probe().cage
	found := Finding{Name: "sandbox", Text: "bubblewrap works"}
	version := exec.CommandContext(ctx, cage.program, "--version")
	version.Env = []string{}
	if said, err := version.Output(); err == nil {
		found.Text = strings.TrimSpace(string(said)) + " works"
	}
	if len(cage.flags) == 0 {
		found.Text += ", without --disable-userns (since 0.8): only the filter of system calls keeps commands from creating namespaces"
	}
	if os.Geteuid() == 0 {
		found.Text += "; run the service as an ordinary user, so that commands never act as root on the disk"
	}
	return found
}

func findNamespaces(seen map[string]string) Finding {
	found := Finding{Name: "namespaces", Text: "commands have their own: " + strings.Join(namespaceKinds(), ", ")}
	for _, kind := range namespaceKinds() {
		own, err := os.Readlink("/proc/self/ns/" + kind)
		if err == nil && (seen["ns/"+kind] == "" || seen["ns/"+kind] == own) {
			found.Err = errors.Join(found.Err, core.Errorf(core.CodeSandboxUnavailable, "commands share the %s namespace with the service", kind))
		}
	}
	return found
}

// Field names of /proc/self/status.
const (
	filtered  = "2"
	noRights  = "0000000000000000"
	noNewOnes = "1"
)

func findFilter(seen map[string]string) Finding {
	found := Finding{Name: "system calls", Text: "a seccomp filter is on; commands have no capabilities and cannot gain any"}
	if seen["Seccomp"] != filtered || seen["CapEff"] != noRights || seen["CapBnd"] != noRights || seen["NoNewPrivs"] != noNewOnes {
		found.Err = core.Errorf(core.CodeSandboxUnavailable, "a command has Seccomp %q, CapEff %q, CapBnd %q, NoNewPrivs %q: the kernel does not enforce what was requested",
			seen["Seccomp"], seen["CapEff"], seen["CapBnd"], seen["NoNewPrivs"])
	}
	return found
}

func (r *Runner) findLimits() Finding {
	limits := r.config.Limits
	how := "by the kernel, and by a watcher that looks every " + watchEvery.String()
	if os.Geteuid() == 0 {
		how = "by a watcher only, which looks every " + watchEvery.String() + ", because the kernel does not count root's processes"
	}
	return Finding{Name: "command limits", Text: fmt.Sprintf("%s %s; %s by the kernel for each process and by the watcher for all; no cgroups",
		limits.processes(), how, limits.memory())}
}

func (l Limits) processes() string { return fmt.Sprintf("%d processes", l.Processes) }

func (l Limits) memory() string { return fmt.Sprintf("%d MiB of memory", l.MemoryBytes>>20) }

func (r *Runner) findNetwork(ctx context.Context) Finding {
	found := Finding{Name: "command network", Text: "none except a proxy to the hosts that a workspace allows (commandHosts)"}
	var known *core.Error
	if err := r.Network(ctx); errors.As(err, &known) {
		found.Text = "none at all: " + known.Message
		if cause := errors.Unwrap(known); cause != nil {
			found.Text += ": " + cause.Error()
		}
	}
	return found
}
