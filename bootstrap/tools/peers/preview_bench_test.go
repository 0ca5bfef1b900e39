package peers

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// BenchmarkCreateToPage creates a project and loads its page, beside npm install and
// vite with everything in npm's cache.
func BenchmarkCreateToPage(b *testing.B) {
	browser := startChromium(b)
	s := startStudio(b)
	w := newWorkshop(b)
	page := open(b, browser)
	start := time.Now()
	address, _ := w.serve()
	page.begin(address)
	vite := w.installed + page.seen().Sub(start)
	page.close()

	create := func() time.Duration {
		page := open(b, browser)
		defer page.close()
		start := time.Now()
		page.begin(s.create().preview())
		return page.seen().Sub(start)
	}
	first := create()
	for b.Loop() {
		own := median(5, create)
		b.ReportMetric(float64(own.Microseconds())/1000, "ms")
		b.ReportMetric(float64(first.Microseconds())/1000, "ms-first")
		b.ReportMetric(vite.Seconds()/own.Seconds(), "x-faster")
	}
}

var heading = regexp.MustCompile(`(<h1[^>]*>)[^<]*(</h1>)`)

// typed types into the first field as a person would, so that React hears of it.
const typed = `(() => {
	const field = document.querySelector('input')
	if (!field) return false
	Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, 'typed')
	return field.dispatchEvent(new Event('input', { bubbles: true }))
})()`

// BenchmarkSaveToPage saves a component and waits until the page shows it, with the text
// in a field preserved.
func BenchmarkSaveToPage(b *testing.B) {
	browser := startChromium(b)
	p := startStudio(b).create()
	w := newWorkshop(b)
	address, _ := w.serve()
	source := p.read("src/App.tsx")
	if !heading.MatchString(source) {
		b.Fatal("the template has no heading")
	}
	measure := func(address string, save func(content string)) time.Duration {
		page := open(b, browser)
		page.begin(address)
		page.seen()
		page.await(typed)
		var times []time.Duration
		for n := range 21 {
			text := fmt.Sprintf("Saved %d", n)
			page.watch(fmt.Sprintf(`document.querySelector('h1')?.textContent === %q && document.querySelector('input').value === 'typed'`, text))
			time.Sleep(150 * time.Millisecond)
			start := time.Now()
			save(heading.ReplaceAllString(source, "${1}"+text+"${2}"))
			times = append(times, page.seen().Sub(start))
		}
		slices.Sort(times)
		return times[len(times)/2]
	}
	for b.Loop() {
		vite := measure(address, func(content string) {
			if err := os.WriteFile(filepath.Join(w.dir, "src/App.tsx"), []byte(content), 0o644); err != nil {
				b.Fatal(err)
			}
		})
		own := measure(p.preview(), func(content string) { p.save("src/App.tsx", content) })
		b.ReportMetric(float64(own.Microseconds())/1000, "ms")
		b.ReportMetric(float64(vite.Microseconds())/1000, "ms-vite")
		b.ReportMetric(own.Seconds()/vite.Seconds(), "x-vite")
	}
}

// BenchmarkOpenPreviews opens a hundred previews and looks at the memory of the
// service and all that it has started.
func BenchmarkOpenPreviews(b *testing.B) {
	const previews = 100
	s := startStudio(b)
	w := newWorkshop(b)
	viteAddress, vitePID := w.serve()
	if response, err := http.Get(viteAddress); err != nil || response.Body.Close() != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		first := s.create().preview()
		s.loadAll(first)
		before := memoryOf(b, s.PID())
		addresses := []string{first}
		for range previews - 1 {
			addresses = append(addresses, s.create().preview())
		}
		for range 2 {
			for _, address := range addresses {
				s.loadAll(address)
			}
		}
		after := memoryOf(b, s.PID())
		b.ReportMetric(float64(after)/(1<<20), "MiB")
		b.ReportMetric(float64(after-before)/(1<<20)/(previews-1), "MiB/preview")
		b.ReportMetric(float64(memoryOf(b, vitePID))/(1<<20), "MiB-vite")
	}
}

var moduleOf = regexp.MustCompile(`(?:src|href)="(/[^"]+\.(?:js|css|tsx|ts)(?:\?[^"]*)?)"`)

// loadAll loads a page and its resources.
func (s *studio) loadAll(address string) {
	s.b.Helper()
	status, page := s.get(address)
	if status != 200 {
		s.b.Fatalf("%s: got %d, want a page", address, status)
	}
	for _, match := range moduleOf.FindAllSubmatch(page, -1) {
		if status, _ := s.get(strings.TrimSuffix(address, "/") + string(match[1])); status != 200 {
			s.b.Fatalf("%s of %s: got %d, want it", match[1], address, status)
		}
	}
}

// memoryOf returns the memory of a process and its descendants, in bytes. Shared memory
// counts once.
func memoryOf(b *testing.B, pid int) int64 {
	b.Helper()
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0
	}
	var sum int64
	for line := range strings.Lines(string(content)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "Pss:" {
			kib, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil {
				b.Fatal(err)
			}
			sum += kib << 10
		}
	}
	for _, child := range childrenOf(pid) {
		sum += memoryOf(b, child)
	}
	return sum
}
