package people_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/atelierhq/atelier/adapters/credentials"
	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
)

// hashWorkers are the processes that hash passwords for a service.
func hashWorkers(t *testing.T, service int) (all []int) {
	t.Helper()
	commands, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range commands {
		dir := filepath.Dir(command)
		line, _ := os.ReadFile(command)
		status, _ := os.ReadFile(filepath.Join(dir, "status"))
		isChild := strings.Contains(string(status), fmt.Sprintf("\nPPid:\t%d\n", service))
		if id, err := strconv.Atoi(filepath.Base(dir)); err == nil && isChild && strings.Contains(string(line), credentials.HashCommand) {
			all = append(all, id)
		}
	}
	return all
}

// nice is the priority of a process as /proc has it.
func nice(t *testing.T, id int) string {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", id))
	if err != nil {
		t.Fatal(err)
	}
	_, fields, _ := strings.Cut(string(stat), ") ")
	return strings.Fields(fields)[16]
}

func TestPasswordsAreHashedInAProcessOfTheirOwn(t *testing.T) {
	service := process.Start(t, process.Build(t))
	c := (&storytest.Site{T: t, URL: service.URL, Client: storytest.LocalClient()}).SignUp()
	seen := 0
	for range 3 {
		// One that has nothing to do for some seconds ends, so the sign-in comes first.
		signIn(c)
		workers := hashWorkers(t, service.PID())
		seen += len(workers)
		for _, worker := range workers {
			if got := nice(t, worker); got != "19" {
				t.Errorf("got the priority %s, want 19", got)
			}
			_ = syscall.Kill(worker, syscall.SIGKILL)
		}
	}
	signIn(c)
	if seen == 0 {
		t.Error("got no process that hashes passwords, want one")
	}
}

func signIn(c *storytest.Caller) {
	c.T.Helper()
	c.Must(http.StatusOK, http.MethodPost, "/auth/login", storytest.Fields{"email": c.User.Email, "password": "long enough"}, nil)
}
