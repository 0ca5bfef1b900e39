package checks_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/evals/faults"
	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// BenchmarkManyChecks publishes a project with as many checks as one can have.
func BenchmarkManyChecks(b *testing.B) {
	service := process.Start(b, process.Build(b), "BROWSING=on")
	for b.Loop() {
		projects, err := faults.Load(os.DirFS("../../../testdata/evals/faults"))
		if err != nil {
			b.Fatal(err)
		}
		app := projects[0]
		w := (&storytest.Site{T: b, URL: service.URL, Client: storytest.LocalClient()}).SignUp().Create(app.Template)
		var texts []string
		for file, text := range app.Files {
			if strings.HasPrefix(file, core.CheckFolder) {
				texts = append(texts, text)
			} else {
				w.Put(file, text)
			}
		}
		for i := range core.MaxChecks {
			w.Put(core.CheckPath(fmt.Sprintf("check-%03d", i)).String(), texts[i%len(texts)])
		}
		done, most := make(chan struct{}), make(chan float64)
		go func() { most <- mostMemory(service.PID(), done) }()
		began := time.Now()
		w.Must(http.StatusOK, http.MethodPost, w.Path("/publish"), storytest.Fields{}, nil)
		b.ReportMetric(time.Since(began).Seconds(), "s-publish")
		close(done)
		b.ReportMetric(<-most/(1<<20), "MiB")
	}
}

// mostMemory returns the most memory in bytes that the browsers below a process have at a time.
func mostMemory(parent int, done <-chan struct{}) (most float64) {
	ticks := time.NewTicker(time.Second)
	defer ticks.Stop()
	for {
		most = max(most, browserMemory(parent))
		select {
		case <-ticks.C:
		case <-done:
			return most
		}
	}
}

// browserMemory is the memory of the browsers below a process in bytes, shared pages counted in
// parts. Processes that end meanwhile have none.
func browserMemory(parent int) (bytes float64) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", parent))
	for _, list := range lists {
		children, _ := os.ReadFile(list)
		for pid := range strings.FieldsSeq(string(children)) {
			name, _ := os.ReadFile("/proc/" + pid + "/comm")
			rollup, _ := os.ReadFile("/proc/" + pid + "/smaps_rollup")
			for line := range strings.Lines(string(rollup)) {
				if fields := strings.Fields(line); strings.HasPrefix(string(name), "chrom") && len(fields) == 3 && fields[0] == "Pss:" {
					kib, _ := strconv.ParseFloat(fields[1], 64)
					bytes += kib * 1024
				}
			}
			child, _ := strconv.Atoi(pid)
			bytes += browserMemory(child)
		}
	}
	return bytes
}
