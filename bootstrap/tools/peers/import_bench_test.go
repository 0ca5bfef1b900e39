package peers

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
)

// BenchmarkImportToPage imports an export of Lovable and loads its page, beside npm ci and vite with
// everything in npm's cache. The service has the packages in its store, except for ms-first.
func BenchmarkImportToPage(b *testing.B) {
	browser := startChromium(b)
	s := startStudio(b)
	files := storytest.Arrival(b, "lovable", "")
	w := furnish(b, "ci", func(dir string) {
		for i := 0; i < len(files); i += 2 {
			at := filepath.Join(dir, files[i])
			err := os.MkdirAll(filepath.Dir(at), 0o755)
			if err == nil {
				err = os.WriteFile(at, []byte(files[i+1]), 0o644)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	page := open(b, browser)
	start := time.Now()
	address, _ := w.serve()
	page.begin(address)
	vite := w.installed + page.seen().Sub(start)
	page.close()

	archive := storytest.Zipped(b, files...)
	arrive := func() time.Duration {
		page := open(b, browser)
		defer page.close()
		start := time.Now()
		page.begin(s.importProject(archive).preview())
		return page.seen().Sub(start)
	}
	first := arrive()
	for b.Loop() {
		own := median(5, arrive)
		b.ReportMetric(float64(own.Microseconds())/1000, "ms")
		b.ReportMetric(float64(first.Microseconds())/1000, "ms-first")
		b.ReportMetric(vite.Seconds()*1000, "ms-vite")
		b.ReportMetric(own.Seconds()/vite.Seconds(), "x-vite")
	}
}

// importProject makes a project of an archive.
func (s *studio) importProject(archive []byte) *project {
	s.b.Helper()
	form := storytest.ImportForm(s.b, "Arrived", archive)
	body, err := io.ReadAll(form)
	if err != nil {
		s.b.Fatal(err)
	}
	p := &project{studio: s}
	answer := s.send(http.StatusCreated, http.MethodPost, s.URL+"/workspaces/"+string(s.workspace)+"/projects/import", form.ContentType(), body)
	if err := json.Unmarshal(answer, &p.Project); err != nil {
		s.b.Fatal(err)
	}
	return p
}
