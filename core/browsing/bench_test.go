package browsing_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/browsing"
)

// BenchmarkPage looks at a page with 30 controls, and uses it, in the real browser. The first look
// starts the browser.
func BenchmarkPage(b *testing.B) {
	service := caged(b, served(map[string]string{"/": tasks()}), 0)
	page := service.Page(browsing.Visit{Project: core.NewID()})
	defer page.Close()
	began := time.Now()
	if _, err := page.Look(b.Context()); err != nil {
		b.Fatal(err)
	}
	cold := time.Since(began)
	var looks, acts, smokes []float64
	timed := func(into *[]float64, work func() error) {
		began := time.Now()
		if err := work(); err != nil {
			b.Fatal(err)
		}
		*into = append(*into, float64(time.Since(began).Microseconds())/1000)
	}
	see := func() error { _, err := page.Look(b.Context()); return err }
	for b.Loop() {
		timed(&looks, see)
		timed(&acts, func() error {
			step := core.CheckStep{Do: core.CheckFill, Target: at("textbox", "New todo"), Value: "Milk"}
			if err := page.Perform(b.Context(), step); err != nil {
				return err
			}
			return see()
		})
		timed(&smokes, func() error {
			if err := page.Go(b.Context(), "/"); err != nil {
				return err
			}
			return see()
		})
	}
	b.ReportMetric(median(looks), "ms-look-p50")
	b.ReportMetric(median(acts), "ms-act-p50")
	b.ReportMetric(slices.Max(smokes), "ms-smoke-slowest")
	b.ReportMetric(float64(cold.Milliseconds()), "ms-smoke-cold")
	b.ReportMetric(memoryBelow(b, os.Getpid())/(1<<20), "MiB")
	page.Close()
	time.Sleep(time.Minute + 2*time.Second)
	b.ReportMetric(memoryBelow(b, os.Getpid())/(1<<20), "MiB-minute-after")
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// memoryBelow is the memory of a process's descendants in bytes, shared pages counted in parts.
func memoryBelow(b *testing.B, parent int) (bytes float64) {
	lists, err := filepath.Glob("/proc/" + strconv.Itoa(parent) + "/task/*/children")
	if err != nil {
		b.Fatal(err)
	}
	for _, list := range lists {
		children, _ := os.ReadFile(list)
		for pid := range strings.FieldsSeq(string(children)) {
			rollup, _ := os.ReadFile("/proc/" + pid + "/smaps_rollup")
			for line := range strings.Lines(string(rollup)) {
				if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "Pss:" {
					kib, _ := strconv.ParseFloat(fields[1], 64)
					bytes += kib * 1024
				}
			}
			child, _ := strconv.Atoi(pid)
			bytes += memoryBelow(b, child)
		}
	}
	return bytes
}
