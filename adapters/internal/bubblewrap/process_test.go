package bubblewrap

import (
	"os/exec"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/ports/conformance"
)

// sleeper starts a process that does nothing for long.
func sleeper(t *testing.T) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
}

func TestAwaitEndReturnsWhenTheProcessIsGone(t *testing.T) {
	cmd := sleeper(t)
	p := NewProcess()
	p.Set(cmd.Process.Pid)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.AwaitEnd(conformance.Patience)
	}()
	// AwaitEnd holds the lock while it waits.
	conformance.Eventually(t, "AwaitEnd", func() bool {
		free := p.mu.TryLock()
		if free {
			p.mu.Unlock()
		}
		return !free
	})
	_ = cmd.Process.Kill()
	conformance.Await(t, "the end of the wait", ended)
	var status syscall.WaitStatus
	if reaped, err := syscall.Wait4(cmd.Process.Pid, &status, syscall.WNOHANG, nil); err != nil || reaped != cmd.Process.Pid {
		t.Errorf("got %d, %v: it still runs, want it ended", reaped, err)
	}
	NewProcess().AwaitEnd(5 * time.Second)
}

func TestKill(t *testing.T) {
	for name, kill := range map[string]func(p *Process, pid int) error{
		"one that is known ends":                       func(p *Process, pid int) error { p.Set(pid); return p.Kill() },
		"one that is not known yet ends when it is":    func(p *Process, pid int) error { err := p.Kill(); p.Set(pid); return err },
		"without a handle the number has to do":        func(p *Process, pid int) error { p.pid = pid; return p.Kill() },
		"twice is as good as once":                     func(p *Process, pid int) error { p.Set(pid); _ = p.Kill(); return p.Kill() },
		"what is told later does not change who it is": func(p *Process, pid int) error { p.Set(pid); p.Set(1 << 30); return p.Kill() },
	} {
		t.Run(name, func(t *testing.T) {
			cmd := sleeper(t)
			p := NewProcess()
			if p.WasKilled() {
				t.Error("got it killed before anybody asked")
			}
			if err := kill(p, cmd.Process.Pid); err != nil || !p.WasKilled() {
				t.Errorf("got %v, killed %v, want it killed", err, p.WasKilled())
			}
			p.AwaitEnd(5 * time.Second)
			if err := cmd.Wait(); err == nil || cmd.ProcessState.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
				t.Errorf("got %v, want it killed", cmd.ProcessState)
			}
		})
	}
}

func TestKillOfAProcessThatIsGoneIsNoError(t *testing.T) {
	cmd := sleeper(t)
	p := NewProcess()
	p.Set(cmd.Process.Pid)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	if err := p.Kill(); err != nil {
		t.Errorf("got %v, want none", err)
	}
	p.AwaitEnd(5 * time.Second)
}

func TestAProcessThatIsGoneAlreadyStaysUnknown(t *testing.T) {
	cmd := sleeper(t)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	p := NewProcess()
	p.Set(cmd.Process.Pid)
	if err := p.Kill(); p.ID() != 0 || err != nil {
		t.Errorf("got %d, %v, want none", p.ID(), err)
	}
}

// TestNothingIsKilledInThePlaceOfAProcessThatIsGone: the handle's number is given to the next file that is
// opened, which may be the handle of another process.
func TestNothingIsKilledInThePlaceOfAProcessThatIsGone(t *testing.T) {
	gone, other := sleeper(t), sleeper(t)
	p := NewProcess()
	p.Set(gone.Process.Pid)
	freed := p.handle
	_ = p.Kill()
	p.AwaitEnd(5 * time.Second)
	handle, err := unix.PidfdOpen(other.Process.Pid, 0)
	if err == nil && handle != freed {
		err = unix.Dup3(handle, freed, unix.O_CLOEXEC)
		defer unix.Close(freed)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(handle)
	if err := p.Kill(); err != nil {
		t.Errorf("got %v, want nothing done", err)
	}
	p.Set(other.Process.Pid)
	ended, err := unix.Poll([]unix.PollFd{{Fd: int32(handle), Events: unix.POLLIN}}, 200)
	if err != nil || ended != 0 {
		t.Errorf("got %d, %v: the other process has ended, want it to live", ended, err)
	}
}
