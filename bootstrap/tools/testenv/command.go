package main

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// grace is how long a command may take to end after a signal.
const grace = 20 * time.Second

// runCommand runs the command in its own process group, passes signals on to the whole
// group, and returns the exit code: 128 plus the signal's number if a signal ended it. It
// leaves no process of the group behind.
func runCommand(signals <-chan os.Signal, command []string, variables ...string) (int, error) {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), variables...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	// The number of the group is its own only until the command is reaped.
	ended := make(chan struct{})
	go func() {
		awaitUnreaped(cmd.Process.Pid)
		close(ended)
	}()
	passSignals(signals, cmd.Process.Pid, ended)
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return 0, err
	}
	status, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return 128 + int(status.Signal()), nil
	}
	return status.ExitStatus(), nil
}

// awaitUnreaped waits until a child has ended, and leaves it to be reaped.
func awaitUnreaped(child int) {
	const byProcess = 1 // P_PID
	for {
		_, _, err := syscall.Syscall6(syscall.SYS_WAITID, byProcess, uintptr(child), 0, syscall.WEXITED|syscall.WNOWAIT, 0, 0)
		if err != syscall.EINTR {
			return
		}
	}
}

func passSignals(signals <-chan os.Signal, group int, ended <-chan struct{}) {
	var patience <-chan time.Time
	for {
		select {
		case <-ended:
			return
		case received := <-signals:
			if number, ok := received.(syscall.Signal); ok {
				_ = syscall.Kill(-group, number)
			}
			if patience == nil {
				patience = time.After(grace)
			}
		case <-patience:
			_ = syscall.Kill(-group, syscall.SIGKILL)
		}
	}
}
