package operation_test

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/dataworker"
	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
)

// residentKiB is how much memory a process holds.
func residentKiB(tb testing.TB, pid int) float64 {
	tb.Helper()
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		tb.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if value, found := strings.CutPrefix(line, "VmRSS:"); found {
			kib, err := strconv.ParseFloat(strings.Fields(value)[0], 64)
			if err != nil {
				tb.Fatal(err)
			}
			return kib
		}
	}
	tb.Fatal("the process tells no VmRSS")
	return 0
}

// settle lets a process come to rest, and rest is how long after its last use it has
// given back the memory that it does not need.
const (
	settle = 2 * time.Second
	rest   = 3 * time.Minute
)

// children are the processes that a process has started, each with its command line.
func children(tb testing.TB, pid int) map[int]string {
	tb.Helper()
	lists, err := filepath.Glob("/proc/" + strconv.Itoa(pid) + "/task/*/children")
	if err != nil {
		tb.Fatal(err)
	}
	found := map[int]string{}
	for _, list := range lists {
		// A thread may have ended since.
		listed, err := os.ReadFile(list)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			tb.Fatal(err)
		}
		for _, child := range strings.Fields(string(listed)) {
			id, err := strconv.Atoi(child)
			if err != nil {
				tb.Fatal(err)
			}
			line, err := os.ReadFile("/proc/" + child + "/cmdline")
			if err != nil {
				tb.Fatal(err)
			}
			found[id] = strings.ReplaceAll(string(line), "\x00", " ")
		}
	}
	return found
}

// idleStreams is how many streams BenchmarkIdle opens: less than the half of the
// files that a process may open, which streams get, where that is 20,000.
const idleStreams = 4000

// BenchmarkIdle measures the memory of the service after its only user, who has previewed
// one project, has left, and the memory of each stream that follows a silent run. Build
// workers are processes of their own, with a metric of their own; nothing serves data, because no
// project has any.
func BenchmarkIdle(b *testing.B) {
	address, _ := storytest.SlowOllama(b)
	binary := process.Build(b)
	uncache(b, binary)
	service := process.Start(b, binary, "AI_PROVIDER=ollama", "OLLAMA_HOST="+address, "AI_MODEL=m", "MAX_STREAMS_PER_PERSON=0", "PREPARE=on")
	w := (&storytest.Site{T: b, URL: service.URL, Client: storytest.LocalClient()}).SignUp().Create("todo-app")
	for b.Loop() {
		w.Page(strings.TrimSuffix(w.Preview(w.Caller), "/"))
		w.Client.CloseIdleConnections()
		time.Sleep(rest)
		idle, workers, dataWorkers := residentKiB(b, service.PID()), 0.0, 0.0
		for id, line := range children(b, service.PID()) {
			workers += residentKiB(b, id)
			if strings.Contains(line, " "+dataworker.Command) {
				dataWorkers++
			}
		}
		everydayTraffic(w)
		used := residentKiB(b, service.PID())
		ctx, cancel := context.WithCancel(context.Background())
		w.OpenMessage(ctx, map[string]any{"text": "hi"})
		for range idleStreams {
			response := w.Open(ctx, http.MethodGet, "/chat/"+string(w.ID)+"/stream"+storytest.Query("chatId", string(w.Chat)), nil)
			if response.StatusCode != http.StatusOK {
				b.Fatalf("stream: got %d", response.StatusCode)
			}
		}
		everydayTraffic(w)
		time.Sleep(settle)
		b.ReportMetric(idle/1024, "MiB")
		b.ReportMetric(workers/1024, "MiB-workers")
		b.ReportMetric(dataWorkers, "data-workers")
		b.ReportMetric((residentKiB(b, service.PID())-used)/idleStreams, "KiB/stream")
		cancel()
		w.Client.CloseIdleConnections()
		w.WaitIdle()
	}
}

// uncache removes a program from the page cache, as after a boot. What the linker has just
// written is there in large folios, which the kernel maps whole (since Linux 6.18): 10 MiB of
// the program would count that the process never uses.
func uncache(tb testing.TB, program string) {
	tb.Helper()
	// From dd's manual: to drop the cache of a file.
	command := exec.Command("dd", "of="+program, "oflag=nocache", "conv=notrunc,fdatasync", "count=0")
	if out, err := command.CombinedOutput(); err != nil {
		tb.Fatalf("%v\n%s", err, out)
	}
}

// everydayTraffic fills the database's caches and makes the garbage collector run,
// as any use of the service does: neither belongs to the streams.
func everydayTraffic(w *storytest.Work) {
	for range 3000 {
		w.Must(http.StatusOK, http.MethodGet, w.Path(""), nil, nil)
	}
}

// manyProjects is how many projects BenchmarkStart starts with.
const manyProjects = 1000

// BenchmarkStart compares the time from start to ready with many projects and
// with none.
func BenchmarkStart(b *testing.B) {
	binary := process.Build(b)
	empty, full := process.Start(b, binary), process.Start(b, binary, "MAX_PROJECTS_PER_WORKSPACE=0")
	c := (&storytest.Site{T: b, URL: full.URL, Client: storytest.LocalClient()}).SignUp()
	for range manyProjects {
		c.Must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(c.Workspace)+"/projects", map[string]string{"name": "P", "template": "static-html"}, nil)
	}
	var without, with time.Duration
	for b.Loop() {
		without += restart(empty)
		with += restart(full)
	}
	b.ReportMetric(float64(with)/float64(without), "x-empty")
	b.ReportMetric(float64(without)/float64(b.N)/float64(time.Millisecond), "ms-empty")
}

func restart(s *process.Service) time.Duration {
	s.Stop()
	start := time.Now()
	s.Restart()
	return time.Since(start)
}
