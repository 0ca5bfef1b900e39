//go:build soak

package cluster

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
)

// Signals that move the clock of a process that was built by jumping.
const (
	ahead = syscall.SIGUSR1
	back  = syscall.SIGUSR2
)

// jumper is put into the program: it moves the clock by two hours.
const jumper = `package main

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

func init() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		for sent := range signals {
			if sent == syscall.SIGUSR1 {
				time.Jump(7200)
			} else {
				time.Jump(-7200)
			}
		}
	}()
}
`

// The standard library's clock, and the same with a jump. The time that passes between two
// readings does not change, as on a machine whose clock is set.
const (
	clock      = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"
	jumpyClock = `var jumped atomic.Int64

// Jump moves the clock by so many seconds.
func Jump(seconds int64) { jumped.Add(seconds) }

` + clock + "\tsec += jumped.Load()\n"
)

// jumping builds the program with a clock that jumps when the process gets a signal. Because the
// standard library differs, everything is compiled again.
func jumping(t *testing.T) (binary string) {
	t.Helper()
	folder := t.TempDir()
	write := func(name, content string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	original := filepath.Join(goList(t, "{{.Dir}}", "time"), "time.go")
	source, err := os.ReadFile(original)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(source), clock) {
		t.Fatalf("%s does not read the clock as it did when this test was written", original)
	}
	patched := strings.Replace(strings.Replace(string(source), clock, jumpyClock, 1), "import (", "import (\n\t\"sync/atomic\"", 1)
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {
		original: write("time.go", patched),
		filepath.Join(goList(t, "{{.Dir}}", "github.com/atelierhq/atelier/bootstrap/atelier"), "jumper.go"): write("jumper.go", jumper),
	}})
	if err != nil {
		t.Fatal(err)
	}
	binary = filepath.Join(folder, "atelier")
	process.BuildAt(t, binary, "-overlay", write("overlay.json", string(overlay)))
	return binary
}

func goList(t *testing.T, format, name string) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", format, name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// TestFaultsOfClocksLoseNothing sets the clocks of single processes while others continue. Only
// `make soak` runs it, because it compiles everything again.
func TestFaultsOfClocksLoseNothing(t *testing.T) {
	c := prepare(t)
	c.binary = jumping(t)
	c.first = c.serve()
	var second, rooms, others *process.Service
	together(t, func() { second = c.serve() }, func() { rooms = c.rooms() }, func() { others = c.rooms() })
	play(t, c, []*process.Service{c.first, second}, []*process.Service{rooms, others}, []fault{
		{"the clock of one of two runs two hours ahead", passing, func(t *testing.T, _ *load) {
			jump(t, second, ahead)
			time.Sleep(longerThanALease)
			jump(t, second, back)
		}},
		{"the clock of one of two falls two hours back", passing, func(t *testing.T, _ *load) {
			jump(t, second, back)
			time.Sleep(longerThanALease)
			jump(t, second, ahead)
		}},
		{"the clock of the rooms runs two hours ahead", passing, func(t *testing.T, l *load) {
			at := l.roomHolder()
			jump(t, at, ahead)
			time.Sleep(longerThanAClaim)
			jump(t, at, back)
		}},
		{"the clock of the other rooms runs two hours ahead", passing, func(t *testing.T, l *load) {
			at := rooms
			if l.roomHolder() == rooms {
				at = others
			}
			jump(t, at, ahead)
			time.Sleep(longerThanAClaim)
			jump(t, at, back)
		}},
		{"one dies while the clock of the other runs two hours ahead", kills, func(t *testing.T, _ *load) {
			jump(t, second, ahead)
			kill(t, c.first)
			moment()
			jump(t, second, back)
		}},
	})
}

// jump moves the clock of a process and waits until its answers show that.
func jump(t *testing.T, at *process.Service, where syscall.Signal) {
	t.Helper()
	before := askDate(t, at)
	if err := syscall.Kill(at.PID(), where); err != nil {
		t.Fatal(err)
	}
	wait(t, "the other time", func() bool { return askDate(t, at).Sub(before).Abs() > time.Hour })
}

// askDate returns the time of a process.
func askDate(t *testing.T, at *process.Service) time.Time {
	t.Helper()
	response, err := http.Get(at.URL + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	date, err := http.ParseTime(response.Header.Get("Date"))
	if err != nil {
		t.Fatal(err)
	}
	return date
}
