package peers

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/stock"
	"github.com/atelierhq/atelier/core"
)

// The load of visitors: how many ask at a time, for how long in a round, and how many rounds the
// service and the stock program have in turn.
const (
	visitors    = 8
	roundTime   = 2 * time.Second
	loadRounds  = 5
	listedNotes = 30
)

// notesSchema is a backend of everybody's notes.
const notesSchema = `{"collections":[{"name":"notes","listRule":"","viewRule":"","createRule":"","fields":[{"name":"text","type":"text"}]}]}`

// startNotes publishes a project with notes, and returns their address and an export of them for
// the stock program.
func startNotes(b *testing.B) (site, data string, p *project) {
	b.Helper()
	s := signUp(b, process.Start(b, process.Build(b), "BACKEND_REQUESTS_PER_SECOND=1000000", "BACKEND_MAX_STREAMS=2000"))
	p = s.createFrom("static-html")
	p.send(http.StatusCreated, http.MethodPut, p.URL+"/projects/"+string(p.ID)+"/files/"+core.BackendSchemaPath, "text/plain", []byte(notesSchema))
	var published struct{ URL string }
	s.call(http.StatusOK, http.MethodPost, "/projects/"+string(p.ID)+"/publish", map[string]any{}, &published)
	site = published.URL + "/_data/collections/notes/records"
	for i := range listedNotes {
		p.send(http.StatusOK, http.MethodPost, site, "application/json", fmt.Appendf(nil, `{"text":"note %d"}`, i))
	}
	archive := p.send(http.StatusOK, http.MethodGet, p.URL+"/projects/"+string(p.ID)+"/export?data=live", "", nil)
	data = filepath.Join(b.TempDir(), "pb_data")
	unpack(b, archive, "pb_data", data)
	return site, data, p
}

// outcome is what a round of load measured.
type outcome struct {
	rate float64
	p99  time.Duration
}

// visit asks as visitors do until the round is over.
func visit(b *testing.B, client *http.Client, method, address, body string) outcome {
	b.Helper()
	var all sync.WaitGroup
	times, end := make([][]time.Duration, visitors), time.Now().Add(roundTime)
	var failed atomic.Int64
	for visitor := range visitors {
		all.Go(func() {
			for time.Now().Before(end) {
				began := time.Now()
				r, err := http.NewRequestWithContext(b.Context(), method, address, strings.NewReader(body))
				if err != nil {
					failed.Add(1)
					return
				}
				r.Header.Set("Content-Type", "application/json")
				answer, err := client.Do(r)
				if err != nil {
					failed.Add(1)
					return
				}
				_, err = io.Copy(io.Discard, answer.Body)
				_ = answer.Body.Close()
				if err != nil || answer.StatusCode != http.StatusOK {
					failed.Add(1)
					return
				}
				times[visitor] = append(times[visitor], time.Since(began))
			}
		})
	}
	all.Wait()
	sorted := slices.Concat(times...)
	slices.Sort(sorted)
	if failed.Load() > 0 || len(sorted) == 0 {
		b.Fatalf("%s %s: %d requests failed", method, address, failed.Load())
	}
	return outcome{float64(len(sorted)) / roundTime.Seconds(), sorted[len(sorted)*99/100]}
}

// BenchmarkBackend compares requests through a site's host and the worker with the stock program.
// Rounds alternate, and the median of the ratios counts. The service's creates wait for the disk, so
// they are compared with a stock program whose creates do, too.
func BenchmarkBackend(b *testing.B) {
	site, data, p := startNotes(b)
	plain := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 2 * visitors}}
	compare := func(b *testing.B, binary, method, query, body string) {
		theirs := stock.Serve(b, binary, data).URL + "/api/collections/notes/records"
		for b.Loop() {
			var rates, late []float64
			for range loadRounds {
				peer, own := visit(b, plain, method, theirs+query, body), visit(b, p.http, method, site+query, body)
				rates = append(rates, own.rate/peer.rate)
				late = append(late, float64((own.p99-peer.p99).Microseconds())/1000)
			}
			slices.Sort(rates)
			slices.Sort(late)
			b.ReportMetric(rates[loadRounds/2], "x-stock")
			b.ReportMetric(late[loadRounds/2], "ms-p99-over")
		}
	}
	b.Run("list", func(b *testing.B) { compare(b, stock.Build(b), http.MethodGet, "?perPage=30&skipTotal=1", "") })
	b.Run("create", func(b *testing.B) { compare(b, stock.BuildDurable(b), http.MethodPost, "", `{"text":"one more"}`) })
}

// BenchmarkSchemaSave measures a save of the schema file until types and test data have followed.
func BenchmarkSchemaSave(b *testing.B) {
	_, _, p := startNotes(b)
	var times []time.Duration
	for i := 0; b.Loop(); i++ {
		schema := strings.Replace(notesSchema, `"type":"text"}`, fmt.Sprintf(`"type":"text"},{"name":"f%d","type":"number"}`, i), 1)
		began := time.Now()
		p.send(http.StatusOK, http.MethodPut, p.URL+"/projects/"+string(p.ID)+"/files/"+core.BackendSchemaPath, "text/plain", []byte(schema))
		p.call(http.StatusOK, http.MethodGet, "/projects/"+string(p.ID)+"/backend", nil, nil)
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "ms-p50")
}

// listeners is how many listen at a time.
const listeners = 1000

// BenchmarkListeners measures how long a change takes to each of many listeners.
func BenchmarkListeners(b *testing.B) {
	site, _, p := startNotes(b)
	realtime := strings.TrimSuffix(site, "/collections/notes/records") + "/realtime"
	ctx, stop := context.WithCancel(b.Context())
	defer stop()
	heard := make(chan time.Time, listeners)
	for range listeners {
		listen(ctx, b, p, realtime, heard)
	}
	var late []time.Duration
	for b.Loop() {
		began := time.Now()
		p.send(http.StatusOK, http.MethodPost, site, "application/json", []byte(`{"text":"news"}`))
		for range listeners {
			select {
			case at := <-heard:
				late = append(late, at.Sub(began))
			case <-time.After(patience):
				b.Fatal("some listeners heard nothing")
			}
		}
	}
	slices.Sort(late)
	b.ReportMetric(float64(late[len(late)*99/100].Microseconds())/1000, "ms-p99")
}

// listen opens a stream of the notes.
func listen(ctx context.Context, b *testing.B, p *project, realtime string, heard chan<- time.Time) {
	b.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, realtime, nil)
	if err != nil {
		b.Fatal(err)
	}
	answer, err := p.http.Do(r)
	if err != nil || answer.StatusCode != http.StatusOK {
		b.Fatalf("got %v, %v, want a stream", answer, err)
	}
	connected := make(chan string, 1)
	go func() {
		defer answer.Body.Close()
		for lines, topic := bufio.NewScanner(answer.Body), ""; lines.Scan(); {
			name, value, _ := strings.Cut(lines.Text(), ":")
			switch {
			case name == "event":
				topic = value
			case name == "data" && topic == "PB_CONNECT":
				var hello struct{ ClientID string }
				_ = json.Unmarshal([]byte(value), &hello)
				connected <- hello.ClientID
			case name == "data":
				heard <- time.Now()
			}
		}
	}()
	select {
	case id := <-connected:
		text, _ := json.Marshal(map[string]any{"clientId": id, "subscriptions": []string{"notes/*"}})
		p.send(http.StatusNoContent, http.MethodPost, realtime, "application/json", text)
	case <-time.After(patience):
		b.Fatal("the stream says nothing")
	}
}

// unpack writes what an archive has below a directory to another one.
func unpack(b *testing.B, archive []byte, from, to string) {
	b.Helper()
	packed, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		b.Fatal(err)
	}
	below, err := fs.Sub(packed, from)
	if err == nil {
		err = os.CopyFS(to, below)
	}
	if err != nil {
		b.Fatal(err)
	}
}
