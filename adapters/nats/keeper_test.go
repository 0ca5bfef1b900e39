package nats

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// keeperVariable makes the test binary a process that keeps edits of the project that
// it names, under the prefix of prefixVariable.
const (
	keeperVariable = "NATS_TEST_KEEPER"
	prefixVariable = "NATS_TEST_PREFIX"
)

func TestMain(m *testing.M) {
	if project := os.Getenv(keeperVariable); project != "" {
		os.Exit(keepUntilEnd(core.ID(project)))
	}
	os.Exit(m.Run())
}

// keepUntilEnd prints its name once it holds edits, and holds them until its input ends.
func keepUntilEnd(project core.ID) int {
	ctx := context.Background()
	conn, err := Connect(ctx, Config{URL: os.Getenv(serverVariable), Prefix: os.Getenv(prefixVariable), Log: slog.Default(), OwnerOf: new(claims).ownerOf})
	if err == nil {
		_, err = conn.Unsaved().Keep(ctx, project, func(context.Context) error { return nil })
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(conn.Unsaved().Owner())
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// startKeeper runs such a process, which ends with the test, and returns its name.
func startKeeper(t *testing.T, prefix string, project core.ID) (*server, core.ID) {
	t.Helper()
	process := exec.Command(os.Args[0])
	process.Env = append(os.Environ(), keeperVariable+"="+string(project), prefixVariable+"="+prefix)
	process.Stderr = os.Stderr
	process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	output, outputErr := process.StdoutPipe()
	_, inputErr := process.StdinPipe()
	if outputErr != nil || inputErr != nil {
		t.Fatal(outputErr, inputErr)
	}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, process: process}
	t.Cleanup(s.kill)
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		t.Fatalf("the keeper says %q, %v, want its name", line, err)
	}
	return s, core.ID(strings.TrimSpace(line))
}
