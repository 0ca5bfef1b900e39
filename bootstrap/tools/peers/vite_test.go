package peers

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/atelierhq/atelier/ports/conformance"
)

// workshop is a project on the disk, with npm and vite.
type workshop struct {
	b   *testing.B
	dir string
	// installed is how long npm took with all packages in its cache.
	installed time.Duration
}

// newWorkshop installs the template.
func newWorkshop(b *testing.B) *workshop {
	b.Helper()
	return furnish(b, "install", func(dir string) {
		for _, part := range []string{"templates/" + template, "shared"} {
			if err := os.CopyFS(dir, os.DirFS("../../../adapters/scaffold/"+part)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// furnish installs what fill writes into a folder twice: once to fill npm's cache, and once by a
// command, to see how long it takes then.
func furnish(b *testing.B, command string, fill func(dir string)) *workshop {
	b.Helper()
	cache := b.TempDir()
	install := func(w *workshop, command string) {
		w.installed = w.run("npm", command, "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", "--cache", cache)
	}
	first := &workshop{b: b, dir: b.TempDir()}
	fill(first.dir)
	install(first, "install")
	w := &workshop{b: b, dir: b.TempDir()}
	fill(w.dir)
	const lock = "package-lock.json"
	content, err := os.ReadFile(filepath.Join(first.dir, lock))
	if err == nil {
		err = os.WriteFile(filepath.Join(w.dir, lock), content, 0o644)
	}
	if err != nil {
		b.Fatal(err)
	}
	install(w, command)
	return w
}

func (w *workshop) run(name string, args ...string) time.Duration {
	w.b.Helper()
	command := exec.Command(name, args...)
	command.Dir = w.dir
	start := time.Now()
	if output, err := command.CombinedOutput(); err != nil {
		w.b.Fatalf("%s: %v\n%s", name, err, output)
	}
	return time.Since(start)
}

func (w *workshop) vite() string { return filepath.Join(w.dir, "node_modules", ".bin", "vite") }

// build is the median of three builds.
func (w *workshop) build() time.Duration {
	w.b.Helper()
	return median(3, func() time.Duration { return w.run(w.vite(), "build") })
}

// serve starts the dev server and returns its address and its process's id.
func (w *workshop) serve() (address string, pid int) {
	w.b.Helper()
	port := conformance.FreePort(w.b)
	command := exec.Command(w.vite(), "--port", fmt.Sprint(port), "--strictPort", "--host", "127.0.0.1")
	command.Dir = w.dir
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := command.Start(); err != nil {
		w.b.Fatal(err)
	}
	w.b.Cleanup(func() {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
		_ = command.Wait()
	})
	address = fmt.Sprintf("http://127.0.0.1:%d/", port)
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		response, err := http.Get(address)
		if err == nil {
			response.Body.Close()
			return address, command.Process.Pid
		}
	}
	w.b.Fatalf("vite did not answer:\n%s", output.String())
	return "", 0
}

// median is that of several measurements.
func median(times int, measure func() time.Duration) time.Duration {
	var all []time.Duration
	for range times {
		all = append(all, measure())
	}
	slices.Sort(all)
	return all[times/2]
}
