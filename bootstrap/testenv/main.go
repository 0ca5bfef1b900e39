// Command testenv runs a command, usually go test, with what the tests need:
//
//	go run ./bootstrap/testenv -- go test -race ./...
//
// It installs the programs that are missing (Debian's packages, through apt-get, and
// a Node.js of its own where there is no recent one),
// starts a PostgreSQL server of its own on a free port in a temporary directory,
// and tells the command its address in ATELIER_TEST_POSTGRES. Signals go to the
// command, whose exit code is testenv's. ATELIER_TEST_BINARIES names a folder in which
// tests share what they build. The server, its directory and that folder are gone when
// testenv ends. A server that ATELIER_TEST_POSTGRES names already is used as
// it is.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
)

// What the tests are told: where PostgreSQL is, and where to share what they build.
const (
	addressVariable  = "ATELIER_TEST_POSTGRES"
	binariesVariable = "ATELIER_TEST_BINARIES"
)

// exitSetup is the exit code when the command could not be run.
const exitSetup = 125

func main() {
	// The server is told when the thread that started it ends, so that must be
	// the main one.
	runtime.LockOSThread()
	os.Exit(run(os.Args[1:], os.Stderr))
}

func run(args []string, log io.Writer) int {
	wanted := needs()
	if len(args) > 0 && args[0] == "-peers" {
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
	code, err := runIn(setup, signals, wanted, args[1:], log)
	if err != nil {
		fmt.Fprintf(log, "testenv: %v\n", err)
		return exitSetup
	}
	return code
}

func runIn(setup context.Context, signals <-chan os.Signal, wanted []need, command []string, log io.Writer) (code int, err error) {
	if err := install(setup, wanted, log); err != nil {
		return 0, err
	}
	tools, err := bringNode(setup, log)
	if err != nil {
		return 0, err
	}
	path := os.Getenv("PATH")
	if tools != "" {
		path = tools + string(os.PathListSeparator) + path
	}
	address := os.Getenv(addressVariable)
	if address == "" {
		server, err := startServer(setup)
		if err != nil {
			return 0, err
		}
		defer func() { err = errors.Join(err, server.stop()) }()
		address = server.address
	}
	binaries, err := os.MkdirTemp("", "atelier-binaries-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(binaries)) }()
	if setup.Err() != nil {
		return 0, errors.New("stopped before the command began")
	}
	return runCommand(signals, command, addressVariable+"="+address, binariesVariable+"="+binaries, "PATH="+path)
}
