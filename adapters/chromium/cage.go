package chromium

import (
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/chromedp/chromedp"

	"github.com/atelierhq/atelier/adapters/internal/bubblewrap"
	"github.com/atelierhq/atelier/adapters/internal/seccomp"
	"github.com/atelierhq/atelier/core"
)

// cage is the isolation of the browser.
type cage struct {
	bwrap, chromium string
	filter          []byte
}

// Limits of each process of the browser. The size of its temporary files, which are in
// memory, is a limit for all.
const (
	dataKiB      = 3 << 20
	cpuSeconds   = 300
	scratchBytes = 256 << 20
	// profile is the browser's profile directory, inside.
	profile = "/tmp/profile"
	// withoutFeatures are chromedp's own, and the pages that Chromium renders for the address bar
	// of an invisible window: that costs more than a picture.
	withoutFeatures = "Translate,BlinkGenPropertyTrees,WebUIOmniboxPopup,WebUIOmniboxAimPopup"
)

// findCage finds the programs and tests whether they can be isolated.
func findCage() (*cage, error) {
	c := &cage{}
	var err error
	if c.bwrap, err = exec.LookPath("bwrap"); err != nil {
		return nil, unavailable(core.Phrasef("bubblewrap is not installed: install the package bubblewrap"))
	}
	if c.chromium, err = findChromium(); err != nil {
		return nil, unavailable(core.Phrasef("Chromium is not installed: install the package chromium"))
	}
	if c.filter, err = seccomp.Filter(); err != nil {
		return nil, unavailable(core.Phrasef("%s", err))
	}
	try := exec.Command(c.bwrap, append(c.arguments(), "--", "/bin/sh", "-c", "true")...)
	try.Env = environment()
	if said, err := try.CombinedOutput(); err != nil {
		return nil, unavailable(core.Phrasef("bubblewrap does not work here: %s", strings.TrimSpace(string(said))))
	}
	return c, nil
}

func unavailable(why core.Phrase) error {
	return core.Errorf(core.CodeSandboxUnavailable, "no page can be opened: %s", why)
}

// findChromium finds the binary itself: Debian's chromium in the path is a script that
// reads settings of the machine.
func findChromium() (string, error) {
	const debian = "/usr/lib/chromium/chromium"
	if _, err := os.Stat(debian); err == nil {
		return debian, nil
	}
	var err error
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome-stable", "google-chrome"} {
		var found string
		if found, err = exec.LookPath(name); err == nil {
			return found, nil
		}
	}
	return "", err
}

// arguments returns bubblewrap's arguments, without the program to run.
func (c *cage) arguments() []string {
	args := []string{
		"--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL",
		"--uid", "1000", "--gid", "1000", "--hostname", "browser",
		"--ro-bind", "/usr", "/usr",
	}
	for _, dir := range []string{"/bin", "/sbin", "/lib", "/lib64"} {
		target, err := os.Readlink(dir)
		if err == nil {
			args = append(args, "--symlink", target, dir)
		} else {
			args = append(args, "--ro-bind-try", dir, dir)
		}
	}
	for _, path := range []string{"/opt", "/etc/fonts", "/etc/alternatives", "/etc/ld.so.cache"} {
		args = append(args, "--ro-bind-try", path, path)
	}
	size := strconv.Itoa(scratchBytes)
	return append(args,
		"--proc", "/proc", "--remount-ro", "/proc", "--dev", "/dev", "--size", size, "--tmpfs", "/dev/shm",
		"--size", size, "--tmpfs", "/tmp", "--remount-ro", "/", "--chdir", "/tmp",
		"--setenv", "HOME", "/tmp", "--setenv", "PATH", "/usr/bin:/bin", "--setenv", "LANG", "C.UTF-8",
	)
}

func environment() []string { return []string{"PATH=/usr/bin:/bin"} }

// outer is the shell program that limits itself and then becomes its arguments. The
// browser has a lower priority than the service, and is killed first when memory is short.
var outer = "ulimit -c 0; ulimit -t " + strconv.Itoa(cpuSeconds) + "; ulimit -d " + strconv.Itoa(dataKiB) + ` || exit 125
{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null
exec nice -n 10 "$@"`

// options starts the browser in the cage, as child. Its own sandbox is off, because
// it cannot work inside another.
func (c *cage) options(child *process) []chromedp.ExecAllocatorOption {
	options := append(chromedp.DefaultExecAllocatorOptions[:len(chromedp.DefaultExecAllocatorOptions):len(chromedp.DefaultExecAllocatorOptions)],
		chromedp.ExecPath(c.chromium), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.UserDataDir(profile),
		chromedp.Flag("disable-features", withoutFeatures),
		chromedp.Flag("js-flags", "--max-old-space-size=256"), chromedp.Flag("renderer-process-limit", "1"),
		chromedp.ModifyCmdFunc(func(cmd *exec.Cmd) { c.wrap(cmd, child) }),
	)
	for _, flag := range []string{
		"hide-scrollbars", "mute-audio", "disable-quic", "disable-component-update", "disable-extensions", "disable-sync", "disable-webrtc",
		"disable-background-networking", "disable-breakpad", "no-proxy-server", "disable-dev-shm-usage",
		"disable-smooth-scrolling", // A click would miss what still moves.
	} {
		options = append(options, chromedp.Flag(flag, true))
	}
	return options
}

// wrap wraps the browser's command in the cage, where it first waits at the gate.
// bubblewrap passes the pipes of the browser on.
func (c *cage) wrap(cmd *exec.Cmd, child *process) {
	args := append([]string{"sh", "-c", outer, "sh", c.bwrap}, c.arguments()...)
	args = append(args,
		"--seccomp", strconv.Itoa(filterFD), "--json-status-fd", strconv.Itoa(statusFD),
		"--", "/bin/sh", "-c", bubblewrap.AskAtGate(gateFD)+`exec "$@"`, "sh", c.chromium,
	)
	cmd.Path, cmd.Args = "/bin/sh", append(args, cmd.Args[1:]...)
	cmd.Env = environment()
	child.attach(cmd)
	theirs, err := boundMessages(cmd, func() { _ = child.sandbox.Kill() })
	if err != nil {
		cmd.Err = err
		return
	}
	child.childFiles = append(child.childFiles, theirs)
}
