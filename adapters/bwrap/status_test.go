package bwrap

import (
	"os/exec"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestReadStatus(t *testing.T) {
	for said, want := range map[string]ending{
		"": {},
		`{ "child-pid": 0, "cgroup-namespace": 4026532182 }`:         {},
		"{ \"child-pid\": 0 }\n{ \"exit-code\": 0 }\n":               {exited: true},
		"{ \"child-pid\": 0 }\n{ \"exit-code\": 137 }\n":             {exited: true, code: 137},
		"{ \"child-pid\": 0 }\n{ \"exit-co":                          {},
		"no JSON { \"exit-code\": 0 }":                               {},
		"{ \"exit-code\": 3 }\n{ \"something-newer\": [1, 2, 3] }\n": {exited: true, code: 3},
	} {
		if got := readStatus(strings.NewReader(said), newProcess(0)); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %+v, want %+v", said, got, want)
		}
	}
}

func TestAwaitEndReturnsWhenTheProcessIsGone(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := newProcess(0)
	p.set(cmd.Process.Pid)
	time.AfterFunc(200*time.Millisecond, func() { _ = cmd.Process.Kill() })
	p.awaitEnd()
	var status syscall.WaitStatus
	if reaped, err := syscall.Wait4(cmd.Process.Pid, &status, syscall.WNOHANG, nil); err != nil || reaped != cmd.Process.Pid {
		t.Errorf("got %d, %v: it still runs, want it ended", reaped, err)
	}
	newProcess(0).awaitEnd()
}
