package bwrap

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/seccomp"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/ports/netguard"
	"github.com/atelierhq/atelier/ports/sandbox"
)

// Mode says how commands are isolated.
type Mode string

// The modes. ModeAuto and ModeBwrap run commands only if bubblewrap works; they differ in what the
// operator is told. ModeOff runs no commands. ModeUnsafe runs them without isolation: everyone who
// may write to the agent can then do everything on this machine that the service can.
const (
	ModeAuto   Mode = "auto"
	ModeBwrap  Mode = "bwrap"
	ModeOff    Mode = "off"
	ModeUnsafe Mode = "unsafe"
)

// Config configures a Runner.
type Config struct {
	// Root holds one directory for each project, named by its id.
	Root string
	// Hidden are other directories that no command may read. Root is one of them.
	Hidden []string
	// Workplaces is ToolsConfig.Dir, where commands find the packages that are installed for a
	// project. Empty means no packages.
	Workplaces string
	Mode       Mode
	Limits     Limits
	// ProjectBytes is how much a project may take, including its repository; 0 is no limit. A
	// command that exceeds it is ended. In a project that is already larger, commands can only
	// remove files.
	ProjectBytes int64
	// Program is the path of bubblewrap. If empty, bwrap is looked up in PATH.
	Program string
	// Helper is the path of a program that calls Enter with its arguments after the first if the
	// first is EnterCommand. Guard connects commands to hosts. Commands see the helper, but nothing
	// else of its directory. Without both, no command has a network.
	Helper string
	Guard  netguard.Guard
	// Parallel bounds how many commands run at the same time; others wait. 0 is twice the number of
	// processors. Half as many more may run for tenants that have no running command.
	Parallel int
	// Log is told of each command that runs without isolation or uses the network, and of each limit that
	// ended something.
	Log *slog.Logger
}

// Runner runs commands. It is safe for concurrent use.
type Runner struct {
	config Config
	// semaphore bounds the commands that run at the same time.
	semaphore *fair.Semaphore
	probe     func() probeResult
	// tryNetwork reports whether commands can have a network.
	tryNetwork func() error
}

var _ sandbox.Runner = (*Runner)(nil)

// New returns a runner. It probes the machine at the first use, and again from time to time while
// the probe fails.
func New(config Config) *Runner {
	config.Limits = config.Limits.orDefaults()
	if config.Parallel == 0 {
		config.Parallel = 2 * runtime.GOMAXPROCS(0)
	}
	r := &Runner{config: config, semaphore: newSemaphore(config.Parallel)}
	r.probe = cachedProbe(r.look, func(p probeResult) error { return p.err })
	r.tryNetwork = cachedProbe(r.lookNetwork, func(err error) error { return err })
	return r
}

// newSemaphore returns a semaphore of n places, and half as many more for tenants (core/fair) that
// hold none. Commands mostly wait, so a few more of them cost little.
func newSemaphore(n int) *fair.Semaphore {
	return fair.New(fair.Bounds{Capacity: int64(n), Reserve: int64(max(1, n/2))})
}

// probeResult is the result of probing the machine.
type probeResult struct {
	cage *cage
	err  error
}

// Available implements sandbox.Runner.
func (r *Runner) Available(context.Context) error {
	switch r.config.Mode {
	case ModeUnsafe:
		return nil
	case ModeOff:
		return core.Errorf(core.CodeSandboxUnavailable, "commands are disabled on this installation (SANDBOX=off)")
	}
	return r.probe().err
}

// Run implements sandbox.Runner.
func (r *Runner) Run(ctx context.Context, project core.ID, command sandbox.Command) (sandbox.Outcome, error) {
	if err := sandbox.CheckLine(command.Line); err != nil {
		return sandbox.Outcome{}, err
	}
	if err := r.Available(ctx); err != nil {
		return sandbox.Outcome{}, err
	}
	if len(command.Hosts) > 0 {
		if err := r.Network(ctx); err != nil {
			return sandbox.Outcome{}, err
		}
	}
	dir, err := r.directory(project)
	if err != nil {
		return sandbox.Outcome{}, err
	}
	leave, err := r.semaphore.Enter(ctx)
	if err != nil {
		return sandbox.Outcome{}, err
	}
	defer leave()
	task := task{projectBytes: r.config.ProjectBytes, limits: r.config.Limits, dir: dir, command: command, project: project, guard: r.config.Guard, log: r.config.Log}
	task.packages = r.packagesOf(project, dir)
	if r.config.Mode == ModeUnsafe {
		r.config.Log.WarnContext(ctx, "a command runs WITHOUT ISOLATION: it can read and change what the service can (SANDBOX=unsafe)",
			"project", project, "command", command.Line)
		return task.carry(ctx, bareRunner{})
	}
	return task.carry(ctx, r.probe().cage)
}

// directory returns where a project's files are. It fails if the project has no repository
// directory, which therefore could not be hidden.
func (r *Runner) directory(project core.ID) (string, error) {
	if _, err := core.ParseID(string(project)); err != nil {
		return "", err
	}
	root, err := filepath.EvalSymlinks(r.config.Root)
	if err != nil {
		return "", core.Wrap(core.CodeUnavailable, err, "the projects' disk is missing")
	}
	dir := filepath.Join(root, string(project))
	found, err := isDirectory(dir)
	if err != nil {
		return "", err
	}
	if !found {
		return "", core.NotFound("project directory")
	}
	found, err = isDirectory(filepath.Join(dir, ".git"))
	if err == nil && !found {
		err = core.Errorf(core.CodeUnavailable, "the project's repository is missing")
	}
	return dir, err
}

// packagesOf returns the directory of a project's installed packages, "" if it has none.
func (r *Runner) packagesOf(project core.ID, dir string) string {
	place := workplace{filepath.Join(r.config.Workplaces, string(project))}
	if r.config.Workplaces == "" || !place.isComplete() {
		return ""
	}
	if at, err := os.Lstat(filepath.Join(dir, "node_modules")); err != nil || !at.IsDir() {
		return ""
	}
	return place.packages()
}

func isDirectory(path string) (bool, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, core.Wrap(core.CodeUnavailable, err, "the projects' disk cannot be read")
	}
	return info.IsDir(), nil
}

var howToInstall = core.Phrasef("the operator can install bubblewrap (Debian and Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap; Alpine: apk add bubblewrap), and must allow user namespaces (in Docker: --security-opt seccomp=unconfined --security-opt systempaths=unconfined)")

// probeTime bounds the probe. Node.js starts in a second, but the sandbox has the lowest
// priority, and a machine that is busy as the service starts has no broken Node.js.
const probeTime = 40 * time.Second

// look finds out whether commands can be isolated on this machine, by isolating one.
func (r *Runner) look() probeResult {
	fail := func(err error, format string, args ...any) probeResult {
		return probeResult{err: core.Wrap(core.CodeSandboxUnavailable, err, format, args...)}
	}
	program := r.config.Program
	if program == "" {
		program = "bwrap"
	}
	program, err := exec.LookPath(program)
	if err != nil {
		return fail(err, "commands cannot run here, because bubblewrap is not installed: %s", howToInstall)
	}
	filter, err := seccomp.Filter()
	if err != nil {
		return fail(err, "commands cannot run here: %v", err)
	}
	if err := keepDescriptors(); err != nil {
		return fail(err, "commands cannot run here, because they would inherit open files of the service")
	}
	found := &cage{program: program, filter: filter, system: systemMounts(), certificates: certificateMounts(), helper: r.config.Helper}
	if exposed := r.exposed(slices.Concat(found.system, found.certificates)); exposed != "" {
		return fail(nil, "commands cannot run here, because they could read %s: the operator has to move it out of the system's directories", exposed)
	}
	found.flags = []string{"--disable-userns"}
	probe := task{limits: r.config.Limits, command: sandbox.Command{Line: "true"}}
	if err = found.try(probe); err != nil {
		// Versions before 0.8 do not know the flag. The seccomp filter refuses namespaces too.
		found.flags = nil
		err = found.try(probe)
	}
	if err != nil {
		return fail(err, "commands cannot run here, because bubblewrap does not work: %s", howToInstall)
	}
	return probeResult{cage: found}
}

// keepDescriptors marks inherited descriptors close-on-exec. Go opens none that commands would
// inherit, but the process that started the service may have.
func keepDescriptors() error {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
	return nil
}

// try runs a task that does nothing in an empty project.
func (c *cage) try(t task) error {
	dir, remove, err := emptyProject()
	if err != nil {
		return err
	}
	defer remove()
	ctx, cancel := context.WithTimeout(context.Background(), probeTime)
	defer cancel()
	t.dir = dir
	outcome, err := t.run(ctx, c)
	if err == nil && (outcome.ExitCode != 0 || outcome.Ended != "") {
		err = errors.New(strings.TrimSpace("the shell inside failed: " + outcome.Output))
	}
	return err
}

// emptyProject creates a directory like a project's. The returned function removes it.
func emptyProject() (string, func(), error) {
	dir, err := os.MkdirTemp("", "atelier-sandbox-*")
	if err != nil {
		return "", nil, err
	}
	remove := func() { _ = os.RemoveAll(dir) }
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o700); err != nil {
		remove()
		return "", nil, err
	}
	return dir, remove, nil
}

// exposed returns a hidden directory that lies in one that commands can read, "" if there is none.
func (r *Runner) exposed(system []mount) string {
	for _, hidden := range append([]string{r.config.Root}, r.config.Hidden...) {
		real, err := filepath.EvalSymlinks(hidden)
		if err != nil {
			real = filepath.Clean(hidden)
		}
		for _, mount := range system {
			if mount.link == "" && contains(mount.source, real) {
				return hidden
			}
		}
	}
	return ""
}

func contains(dir, path string) bool {
	relative, err := filepath.Rel(dir, path)
	return err == nil && relative != ".." && !strings.HasPrefix(relative, "../")
}
