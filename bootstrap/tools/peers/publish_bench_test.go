package peers

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkPublish publishes the template after an edit, and for the first time on
// fresh data, beside vite build.
func BenchmarkPublish(b *testing.B) {
	w := newWorkshop(b)
	for b.Loop() {
		vite := w.build()
		var p *project
		cold := median(3, func() time.Duration {
			if p != nil {
				p.Kill()
			}
			p = startStudio(b).create()
			return p.publish().took
		})
		source := p.read("src/App.tsx")
		n := 0
		warm := median(7, func() time.Duration {
			n++
			p.save("src/App.tsx", source+fmt.Sprintf("\nexport const edit = %d\n", n))
			return p.publish().took
		})
		b.ReportMetric(float64(warm.Microseconds())/1000, "ms-warm")
		b.ReportMetric(float64(vite.Microseconds())/1000, "ms-vite")
		b.ReportMetric(warm.Seconds()/vite.Seconds(), "x-vite-warm")
		b.ReportMetric(cold.Seconds()/vite.Seconds(), "x-vite-cold")
		b.ReportMetric(float64(p.bytes())/float64(w.bytes()), "x-vite-bytes")
	}
}

// bytes is the size of the live deployment.
func (p *project) bytes() int64 {
	p.b.Helper()
	var list struct {
		Items []struct {
			Bytes  int64
			Status string
		}
	}
	p.call(http.StatusOK, http.MethodGet, p.path("/deployments"), nil, &list)
	for _, deployment := range list.Items {
		if deployment.Status == "live" {
			return deployment.Bytes
		}
	}
	p.b.Fatal("nothing is live")
	return 0
}

// bytes is the size of vite's build.
func (w *workshop) bytes() int64 {
	w.b.Helper()
	var sum int64
	err := filepath.WalkDir(filepath.Join(w.dir, "dist"), func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) || sum == 0 {
		w.b.Fatalf("got %d bytes, %v, want what vite built", sum, err)
	}
	return sum
}
