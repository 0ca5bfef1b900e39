// Command testenv runs a command, usually go test, with everything that the tests need:
//
//	go run ./bootstrap/tools/testenv -- go test -race ./...
//
// It installs the missing programs (Debian's packages, through apt-get, and its own Node.js if
// there is no recent one) that the packages in the command need, if it names them by their whole
// paths. Likewise it starts a PostgreSQL server on a free port, with its data in
// a temporary directory, and a NATS server on another port. It passes their addresses to
// the command in ATELIER_TEST_POSTGRES and ATELIER_TEST_NATS. ATELIER_TEST_BINARIES names
// a folder in which tests share what they build.
//
// Signals go to the command, whose exit code is testenv's. When testenv ends, it removes
// the servers, their directory and that folder. Temporary files are in memory if there is
// plenty of it and TMPDIR names no other place. If a variable already names a server,
// testenv uses that server.
//
// Temporary files are in /dev/shm if it allows programs and has 12 GiB, and machine and
// container have as much memory left. No test skips itself. The Makefile says why tests run
// with -trimpath, GOGC, GORACE and UNRACED as they do.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"syscall"
)

// Variables that tell the tests where PostgreSQL is, and where to share compiled binaries.
const (
	addressVariable  = "ATELIER_TEST_POSTGRES"
	binariesVariable = "ATELIER_TEST_BINARIES"
)

// exitSetup is the exit code if the command could not be run.
const exitSetup = 125

func main() {
	// The kernel ends the server together with the thread that started it, so that must be
	// the main thread.
	runtime.LockOSThread()
	os.Exit(run(os.Args[1:], os.Stderr))
}

func run(args []string, log io.Writer) int {
	wanted, measures := needs(), len(args) > 0 && args[0] == "-peers"
	if measures {
		wanted, args = append(wanted, peers()...), args[1:]
	}
	if len(args) < 2 || args[0] != "--" {
		fmt.Fprintln(log, "usage: testenv [-peers] -- <command> [<argument>...]")
		return exitSetup
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	setup, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	defer cancel()
	code, err := runWith(measures, log, func() (int, error) { return runIn(setup, signals, wanted, args[1:], log) })
	if err != nil {
		fmt.Fprintf(log, "testenv: %v\n", err)
		return exitSetup
	}
	return code
}

// runWith runs a command with temporary files in memory, unless it measures. It names
// files that cannot be removed afterwards, but does not turn the command's success into a
// failure.
func runWith(measures bool, log io.Writer, run func() (int, error)) (int, error) {
	if measures {
		return run()
	}
	remove, err := useMemory()
	if err != nil {
		return 0, err
	}
	defer func() {
		if err := remove(); err != nil {
			fmt.Fprintf(log, "testenv: %v\n", err)
		}
	}()
	return run()
}

func runIn(setup context.Context, signals <-chan os.Signal, wanted []need, command []string, log io.Writer) (code int, err error) {
	wanted = slices.DeleteFunc(wanted, func(n need) bool { return !n.in(command) })
	if err := install(setup, wanted, log); err != nil {
		return 0, err
	}
	path := os.Getenv("PATH")
	if nodeUsers.in(command) {
		tools, err := bringNode(setup, log)
		if err != nil {
			return 0, err
		}
		if tools != "" {
			path = tools + string(os.PathListSeparator) + path
		}
	}
	address := os.Getenv(addressVariable)
	if address == "" && databaseUsers.in(command) {
		server, err := startServer(setup)
		if err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, server.stop()) }()
		address = server.address
	}
	nats := os.Getenv(natsVariable)
	if nats == "" && busUsers.in(command) {
		bus, err := startBus(setup)
		if err != nil {
			return 0, err
		}
		defer bus.stop()
		nats = bus.address
	}
	binaries, err := os.MkdirTemp("", "atelier-binaries-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(binaries)) }()
	if setup.Err() != nil {
		return 0, errors.New("stopped before the command began")
	}
	return runCommand(signals, command, addressVariable+"="+address, natsVariable+"="+nats, binariesVariable+"="+binaries, "PATH="+path)
}
