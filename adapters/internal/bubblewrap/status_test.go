package bubblewrap

import (
	"fmt"
	"strings"
	"testing"
)

func TestReadStatus(t *testing.T) {
	type exitStatus struct {
		exited bool
		code   int
	}
	for said, want := range map[string]exitStatus{
		"": {},
		`{ "child-pid": 0, "cgroup-namespace": 4026532182 }`:         {},
		"{ \"child-pid\": 0 }\n{ \"exit-code\": 0 }\n":               {exited: true},
		"{ \"child-pid\": 0 }\n{ \"exit-code\": 137 }\n":             {exited: true, code: 137},
		"{ \"child-pid\": 0 }\n{ \"exit-co":                          {},
		"no JSON { \"exit-code\": 0 }":                               {},
		"{ \"exit-code\": 3 }\n{ \"something-newer\": [1, 2, 3] }\n": {exited: true, code: 3},
	} {
		if code, exited := ReadStatus(strings.NewReader(said), NewProcess()); (exitStatus{exited, code}) != want {
			t.Errorf("%q: got %+v, want %+v", said, exitStatus{exited, code}, want)
		}
	}
}

func TestReadStatusMakesTheInitKnown(t *testing.T) {
	cmd := sleeper(t)
	p := NewProcess()
	defer p.AwaitEnd(0)
	ReadStatus(strings.NewReader(fmt.Sprintf(`{ "child-pid": %d }`, cmd.Process.Pid)), p)
	if p.ID() != cmd.Process.Pid {
		t.Errorf("got %d, want %d", p.ID(), cmd.Process.Pid)
	}
}
