package chromium_test

import (
	"strconv"
	"syscall"
	"testing"
)

// killTree kills a process's group.
func killTree(t *testing.T, pid string) {
	t.Helper()
	number, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(-number, syscall.SIGKILL); err != nil {
		t.Errorf("kill: %v", err)
	}
}
