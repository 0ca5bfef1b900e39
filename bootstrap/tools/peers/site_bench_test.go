package peers

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var scriptOf = regexp.MustCompile(`(?:src|href)="(/assets/[^"]+\.js)"`)

// get fetches a page or a file of a site, without credentials.
func (s *studio) get(address string) (status int, content []byte) {
	request, err := http.NewRequest(http.MethodGet, address, nil)
	if err != nil {
		s.b.Fatal(err)
	}
	response, err := s.http.Do(request)
	if err != nil {
		return 0, nil
	}
	defer response.Body.Close()
	if content, err = io.ReadAll(response.Body); err != nil {
		return 0, nil
	}
	return response.StatusCode, content
}

// BenchmarkPublishUnderLoad loads pages with their scripts while the site is
// published 100 times.
func BenchmarkPublishUnderLoad(b *testing.B) {
	s := startStudio(b)
	p := s.create()
	site := p.publish()
	source := p.read("src/App.tsx")
	for b.Loop() {
		var broken, loads atomic.Int64
		done := make(chan struct{})
		var browsing sync.WaitGroup
		for range 4 {
			browsing.Go(func() {
				for ; ; loads.Add(1) {
					select {
					case <-done:
						return
					default:
					}
					if !s.loads(site.url) {
						broken.Add(1)
					}
				}
			})
		}
		for n := range 100 {
			p.save("src/App.tsx", source+strings.Repeat("\n", n)+"export const release = "+strings.Repeat("1", n%9+1)+"\n")
			p.publish()
		}
		close(done)
		browsing.Wait()
		b.ReportMetric(float64(broken.Load()), "broken")
		b.ReportMetric(float64(loads.Load()), "loads")
	}
}

// loads reports whether a page and all scripts that it names can be had.
func (s *studio) loads(address string) bool {
	status, page := s.get(address)
	scripts := scriptOf.FindAllSubmatch(page, -1)
	if status != http.StatusOK || len(scripts) == 0 {
		return false
	}
	for _, script := range scripts {
		if status, _ := s.get(strings.TrimSuffix(address, "/") + string(script[1])); status != http.StatusOK {
			return false
		}
	}
	return true
}

// BenchmarkRollback goes back and forth between two deployments.
func BenchmarkRollback(b *testing.B) {
	s := startStudio(b)
	p := s.create()
	p.publish()
	p.save("src/App.tsx", p.read("src/App.tsx")+"\nexport const second = true\n")
	p.publish()
	var list struct{ Items []struct{ ID, Status string } }
	p.call(http.StatusOK, http.MethodGet, p.path("/deployments"), nil, &list)
	var slowest time.Duration
	for n := 0; b.Loop(); n++ {
		start := time.Now()
		p.call(http.StatusOK, http.MethodPost, p.path("/deployments/"+list.Items[(n+1)%2].ID+"/rollback"), nil, nil)
		slowest = max(slowest, time.Since(start))
	}
	b.ReportMetric(float64(slowest.Microseconds())/1000, "ms-slowest")
}
