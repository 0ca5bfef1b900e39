package bubblewrap

import (
	"net"
	"os"
	"os/exec"
	"testing"
)

// gateFD is where the shell finds the gate.
const gateFD = 6

func TestGate(t *testing.T) {
	for name, c := range map[string]struct {
		serve func(gate *net.UnixConn)
		said  string
	}{
		"a command that is answered begins, and the gate is gone": {AnswerAtGate, "begun\n"},
		"one that finds nobody never begins":                      {func(gate *net.UnixConn) { _ = gate.Close() }, ""},
		"one whose service ends while it waits never begins": {func(gate *net.UnixConn) {
			_, _ = gate.Read(make([]byte, 1))
			_ = gate.Close()
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			ours, theirs, err := OpenGate()
			if err != nil {
				t.Fatal(err)
			}
			defer ours.Close()
			defer theirs.Close()
			shell := exec.Command("bwrap", "--unshare-all", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc",
				"--", "/bin/sh", "-c", AskAtGate(gateFD)+"test -e /proc/self/fd/6 && echo open; echo begun")
			shell.ExtraFiles = []*os.File{gateFD - 3: theirs}
			go c.serve(ours)
			said, err := shell.Output()
			if string(said) != c.said || (err == nil) != (c.said != "") {
				t.Errorf("got %q, %v, want %q", said, err, c.said)
			}
		})
	}
}

func TestNobodyWaitsAtAClosedGate(t *testing.T) {
	ours, theirs, err := OpenGate()
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	answered := make(chan struct{})
	go func() { defer close(answered); AnswerAtGate(ours) }()
	if err := ours.Close(); err != nil {
		t.Fatal(err)
	}
	<-answered
}
