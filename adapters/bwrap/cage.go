package bwrap

import (
	"os"
	"strconv"
	"strings"
)

// cage isolates processes with bubblewrap.
type cage struct {
	program string
	filter  []byte
	system  []mount
	// certificates are additional mounts for commands with a network. helper is the
	// program that opens the network inside.
	certificates []mount
	helper       string
	// flags are bubblewrap flags that not every version knows.
	flags []string
}

// Paths inside the sandbox.
const (
	appDir = "/app"
	home   = scratchDir + "/home"
	// scratchDir and sharedDir hold temporary files, in memory.
	scratchDir = "/tmp"
	sharedDir  = "/dev/shm"
	// entry is the path of the helper.
	entry = "/sandbox-init"
)

// Descriptors that bubblewrap reads and does not pass to the command.
const (
	filterFD = "3"
	statusFD = "4"
	optionFD = "5"
)

// Descriptors that bubblewrap passes on.
const (
	// gateFD is the gate at which the command's shell asks to begin (see
	// bubblewrap.OpenGate).
	gateFD = 6
	// doorFD is the socket through which the helper passes the proxy's port out.
	doorFD = 7
)

// mount is a directory, file or link of the machine that commands see read-only.
type mount struct {
	source string
	link   string
}

// systemMounts finds what programs need: themselves, their libraries and the few settings
// that say where those are. Nothing else of /etc is visible.
func systemMounts() []mount {
	return mountsOf("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d")
}

// mountsOf returns a mount for each of the paths that exists.
func mountsOf(paths ...string) []mount {
	var mounts []mount
	for _, path := range paths {
		if _, err := os.Lstat(path); err != nil {
			continue
		}
		// This is a link on systems that keep all programs in /usr, otherwise a directory.
		target, err := os.Readlink(path)
		if err != nil {
			target = ""
		}
		mounts = append(mounts, mount{path, target})
	}
	return mounts
}

// cell describes one process and what it sees inside the sandbox.
type cell struct {
	limits Limits
	// mounts are parts of the machine beside its programs; binds are mounted at another
	// path.
	mounts    []mount
	binds     []bind
	variables [][2]string
	program   []string
}

// bind mounts a directory or file of the machine at another path inside.
type bind struct {
	from, to string
	writable bool
}

// start implements jail.
func (c *cage) start(t task) launch {
	in := cell{
		limits: t.limits, binds: []bind{{t.dir, appDir, true}}, variables: environment(appDir, home),
		program: []string{"/bin/sh", "-c", t.limits.inner(), "sh", t.command.Line},
	}
	if t.packages != "" {
		in.binds = append(in.binds, bind{t.packages, appDir + "/node_modules", true})
	}
	if t.networked() {
		in.mounts = c.certificates
		in.binds = append(in.binds, bind{c.helper, entry, false})
		in.variables = append(in.variables, proxyVariables()...)
		in.program = append([]string{entry, EnterCommand}, in.program...)
	} else {
		in.variables = append(in.variables, offlineVariables()...)
	}
	return c.enclose(in)
}

// enclose returns the launch of a process in its cell. A path in /app must come after /app
// itself.
func (c *cage) enclose(in cell) launch {
	args := []string{
		"--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL",
		"--uid", "1000", "--gid", "1000", "--hostname", "sandbox", "--seccomp", filterFD, "--json-status-fd", statusFD,
	}
	args = append(args, c.flags...)
	args = append(args, mountArgs(c.system)...)
	args = append(args, mountArgs(in.mounts)...)
	scratch := strconv.FormatInt(in.limits.ScratchBytes, 10)
	args = append(args,
		// /proc/sys belongs to the whole machine. bubblewrap leaves it writable when it
		// runs as root.
		"--proc", "/proc", "--remount-ro", "/proc",
		// Shared pages of /dev/zero use memory that is charged to no process. /dev/full
		// reads the same and has no pages.
		"--dev", "/dev", "--dev-bind", "/dev/full", "/dev/zero", "--size", scratch, "--tmpfs", sharedDir, "--remount-ro", "/dev",
		"--size", scratch, "--tmpfs", scratchDir, "--dir", home,
	)
	for _, place := range in.binds {
		how := "--ro-bind"
		if place.writable {
			how = "--bind"
		}
		args = append(args, how, place.from, place.to)
	}
	args = append(args,
		"--size", "4096", "--perms", "0555", "--tmpfs", appDir+"/.git", "--remount-ro", appDir+"/.git",
		// The rest is the root, a directory in memory without a size limit.
		"--remount-ro", "/", "--chdir", appDir,
	)
	for _, variable := range in.variables {
		args = append(args, "--setenv", variable[0], variable[1])
	}
	// bubblewrap needs no environment. Commands could read its environment, as they can
	// read its arguments, and both name paths of the machine.
	outer := append([]string{"-c", in.limits.outer(), "sh", c.program, "--args", optionFD, "--"}, in.program...)
	return launch{program: "/bin/sh", args: outer, env: []string{"PATH=/usr/bin:/bin"}, filter: c.filter, options: []byte(strings.Join(args, "\x00") + "\x00"), reports: true}
}

func mountArgs(mounts []mount) []string {
	var args []string
	for _, m := range mounts {
		if m.link != "" {
			args = append(args, "--symlink", m.link, m.source)
			continue
		}
		args = append(args, "--ro-bind", m.source, m.source)
	}
	return args
}

// environment is the whole environment of a command.
func environment(app, home string) [][2]string {
	return [][2]string{
		{"PATH", app + "/node_modules/.bin:/usr/local/bin:/usr/bin:/bin"},
		{"HOME", home},
		{"TMPDIR", "/tmp"},
		{"LANG", "C.UTF-8"},
		{"TERM", "dumb"},
		{"PAGER", "cat"},
		{"CI", "1"},
	}
}

// bareRunner runs processes without isolation.
type bareRunner struct{}

// start implements jail.
func (bareRunner) start(t task) launch {
	made := launch{program: "/bin/sh", args: []string{"-c", t.limits.outer(), "sh", "/bin/sh", "-c", t.limits.memoryOnly(), "sh", t.command.Line}, dir: t.dir, env: []string{}}
	for _, variable := range environment(t.dir, os.TempDir()) {
		made.env = append(made.env, variable[0]+"="+variable[1])
	}
	return made
}
