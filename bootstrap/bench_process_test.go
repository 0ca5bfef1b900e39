package bootstrap_test

import (
	"context"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/process"
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

// settle lets a process that has just started come to rest.
const settle = 2 * time.Second

// idleStreams is how many streams BenchmarkIdle opens.
const idleStreams = 5000

// BenchmarkIdle measures what the service holds while nobody uses it, and what
// each stream adds that follows a run in which nothing happens.
func BenchmarkIdle(b *testing.B) {
	address, _ := slowOllama(b)
	service := process.Start(b, process.Build(b), "AI_PROVIDER=ollama", "OLLAMA_HOST="+address, "AI_MODEL=m", "MAX_STREAMS_PER_PERSON=0")
	w := (&site{t: b, url: service.URL, http: localClient()}).signUp().create("static-html")
	service.Stop()
	service.Restart()
	for b.Loop() {
		time.Sleep(settle)
		idle := residentKiB(b, service.PID())
		everydayTraffic(w)
		used := residentKiB(b, service.PID())
		ctx, cancel := context.WithCancel(context.Background())
		w.openMessage(ctx, map[string]any{"text": "hi"})
		for range idleStreams {
			response := w.open(ctx, http.MethodGet, "/chat/"+string(w.ID)+"/stream"+query("chatId", string(w.chat)), nil)
			if response.StatusCode != http.StatusOK {
				b.Fatalf("stream: got %d", response.StatusCode)
			}
		}
		everydayTraffic(w)
		time.Sleep(settle)
		b.ReportMetric(idle/1024, "MiB")
		b.ReportMetric((residentKiB(b, service.PID())-used)/idleStreams, "KiB/stream")
		cancel()
		w.http.CloseIdleConnections()
		w.waitIdle()
	}
}

// everydayTraffic fills the database's caches and makes the garbage collector run,
// as any use of the service does: neither belongs to the streams.
func everydayTraffic(w *work) {
	for range 3000 {
		w.must(http.StatusOK, http.MethodGet, w.path(""), nil, nil)
	}
}

// manyProjects is how many projects BenchmarkStart starts with.
const manyProjects = 1000

// BenchmarkStart compares the time from start to ready with many projects and
// with none.
func BenchmarkStart(b *testing.B) {
	binary := process.Build(b)
	empty, full := process.Start(b, binary), process.Start(b, binary, "MAX_PROJECTS_PER_WORKSPACE=0")
	c := (&site{t: b, url: full.URL, http: localClient()}).signUp()
	for range manyProjects {
		c.must(http.StatusCreated, http.MethodPost, "/workspaces/"+string(c.workspace)+"/projects", map[string]string{"name": "P", "template": "static-html"}, nil)
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
