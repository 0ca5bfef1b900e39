package bwrap

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/atelierhq/atelier/ports/conformance"
)

// lead starts a shell as the leader of a group, and returns the first line that it says.
func lead(t *testing.T, line string) (*processGroup, string) {
	t.Helper()
	command := exec.Command("/bin/sh", "-c", line)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := command.StdoutPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	said, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return &processGroup{command: command}, strings.TrimSpace(said)
}

// stateOf is the state of a process in /proc, "" for one that is gone.
func stateOf(pid int) string {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	_, fields, _ := strings.Cut(string(status), ") ")
	return fields[:1]
}

// TestNoGroupIsSignalledOnceItsNumberIsFree: the number of a group belongs to it only while its leader
// is not reaped, or while somebody else is in it.
func TestNoGroupIsSignalledOnceItsNumberIsFree(t *testing.T) {
	g, said := lead(t, "sleep 1000 >/dev/null & echo $!")
	left, err := strconv.Atoi(said)
	if err != nil {
		t.Fatal(err)
	}
	g.end()
	if got := stateOf(g.command.Process.Pid); got != "Z" {
		t.Errorf("got the leader in the state %q after the last signal, want it ended and not reaped", got)
	}
	_ = g.command.Wait()
	// A killed process is gone or waits for whoever adopted it.
	conformance.Eventually(t, "the end of the process", func() bool { return stateOf(left) == "" || stateOf(left) == "Z" })
	// Let the number be somebody else's by now.
	other, _ := lead(t, "echo; exec sleep 1000")
	stranger := &processGroup{command: other.command, over: true}
	if err := stranger.kill(); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("got %v, want no signal to a group that is over", err)
	}
	if got := stateOf(other.command.Process.Pid); got == "" || got == "Z" {
		t.Error("got the process that has the number now killed")
	}
	if err := other.kill(); err != nil {
		t.Errorf("got %v, want the group that is not over killed", err)
	}
	other.end()
	if err := other.command.Wait(); err == nil {
		t.Error("got a process that ended by itself, want it killed")
	}
}
