package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// needs are the programs that the tests run and their Debian packages.
func needs() []need {
	return []need{
		{"postgresql", func() bool { return serverPrograms() != "" }},
		{"nats-server", func() bool { return natsProgram() != "" }},
		{"git", inPath("git")},
		{"ripgrep", inPath("rg")},
		{"bubblewrap", inPath("bwrap")},
		{"curl", inPath("curl")},
		{"gcc", inPath("gcc")},
		{"libc6-dev", exists("/usr/include/stdio.h")},
		{"chromium", inPath("chromium")},
		{"chromium-headless-shell", inPath("chromium-headless-shell")},
		{"nginx-light", exists("/usr/sbin/nginx")},
		{"caddy", inPath("caddy")},
		{"strace", inPath("strace")},
	}
}

// peers are the programs with which benchmarks compare the service.
func peers() []need {
	return []need{
		{"wrk", inPath("wrk")},
	}
}

type need struct {
	debian string
	there  func() bool
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
