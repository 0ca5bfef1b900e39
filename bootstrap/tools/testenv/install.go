package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// needs are the programs that the tests run.
func needs() []need {
	return []need{
		{"postgresql", func() bool { return serverPrograms() != "" }, databaseUsers},
		{"nats-server", func() bool { return natsProgram() != "" }, busUsers},
		{"git", inPath("git"), users{"adapters/git", "core/versions"}},
		{"ripgrep", inPath("rg"), users{"adapters/regexsearch"}},
		{"bubblewrap", inPath("bwrap"), users{"adapters/bwrap", "adapters/chromium", "adapters/internal/bubblewrap", "core/browsing"}},
		{"curl", inPath("curl"), users{"adapters/bwrap"}},
		// The race detector needs a compiler of C.
		{"gcc", inPath("gcc"), users{""}},
		{"libc6-dev", exists("/usr/include/stdio.h"), users{""}},
		{"chromium", inPath("chromium"), users{"adapters/chromium", "core/browsing"}},
		{"chromium-headless-shell", inPath("chromium-headless-shell"), nil},
		{"nginx-light", exists("/usr/sbin/nginx"), nil},
		{"caddy", inPath("caddy"), nil},
		{"strace", inPath("strace"), nil},
	}
}

// peers are the programs with which benchmarks compare the service.
func peers() []need {
	return []need{
		{"wrk", inPath("wrk"), nil},
	}
}

// need is a program, by its Debian package, and the tests that run it.
type need struct {
	debian string
	there  func() bool
	users
}

// users are the packages whose tests need something, by the beginning of their path in the module.
// The packages of bootstrap need everything.
type users []string

// The packages that need a server, and Node.js.
var (
	databaseUsers = users{"adapters/bunstore"}
	busUsers      = users{"adapters/nats"}
	nodeUsers     = users{"adapters/bwrap", "adapters/esbuild", "adapters/npm", "adapters/websocket", "adapters/yjs"}
)

const module = "github.com/atelierhq/atelier/"

// in reports whether a command tests one of the packages. One that names no package by its whole
// path may test all.
func (u users) in(command []string) bool {
	tested := slices.DeleteFunc(slices.Clone(command), func(word string) bool { return !strings.HasPrefix(word, module) })
	return len(tested) == 0 || slices.ContainsFunc(slices.Concat(u, users{"bootstrap"}), func(user string) bool {
		return slices.ContainsFunc(tested, func(path string) bool { return strings.HasPrefix(path, module+user) })
	})
}

func inPath(program string) func() bool {
	return func() bool {
		_, err := exec.LookPath(program)
		return err == nil
	}
}

func exists(file string) func() bool {
	return func() bool {
		_, err := os.Stat(file)
		return err == nil
	}
}

// install installs the missing programs, or says what to do by hand.
func install(ctx context.Context, wanted []need, log io.Writer) error {
	missing := missingPackages(wanted)
	if len(missing) == 0 {
		return nil
	}
	list := strings.Join(missing, ", ")
	apt, err := aptGet()
	if err != nil {
		return fmt.Errorf("the tests need %s, which cannot be installed here (%w): install them by hand", list, err)
	}
	fmt.Fprintf(log, "testenv: installing %s with apt-get\n", list)
	for _, arguments := range [][]string{
		{"update"},
		append([]string{"install", "--yes", "--no-install-recommends"}, missing...),
	} {
		all := append(apt[1:len(apt):len(apt)], arguments...)
		if output, err := exec.CommandContext(ctx, apt[0], all...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s failed (%w): install %s by hand\n%s", strings.Join(append(apt, arguments...), " "), err, list, output)
		}
	}
	if still := missingPackages(wanted); len(still) > 0 {
		return fmt.Errorf("%s is installed, but its programs are not found", strings.Join(still, ", "))
	}
	return nil
}

func missingPackages(wanted []need) []string {
	var missing []string
	for _, need := range wanted {
		if !need.there() {
			missing = append(missing, need.debian)
		}
	}
	return missing
}

// aptGet is the beginning of a command that may install packages.
func aptGet() ([]string, error) {
	if _, err := exec.LookPath("apt-get"); err != nil {
		return nil, fmt.Errorf("there is no apt-get")
	}
	command := []string{"env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-o", "DPkg::Lock::Timeout=300"}
	if os.Geteuid() == 0 {
		return command, nil
	}
	if _, err := exec.LookPath("sudo"); err != nil {
		return nil, fmt.Errorf("this user is not root and there is no sudo")
	}
	return append([]string{"sudo"}, command...), nil
}
