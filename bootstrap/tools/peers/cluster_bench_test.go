package peers

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/core"
)

// postgres makes a schema of the benchmark's own and returns its address.
func postgres(b *testing.B) string {
	b.Helper()
	server := needed(b, "ATELIER_TEST_POSTGRES")
	ctx := context.Background()
	admin, err := pgx.Connect(ctx, server)
	if err != nil {
		b.Fatal(err)
	}
	schema := "bench_" + strings.ReplaceAll(string(core.NewID()), "-", "")
	if _, err := admin.Exec(ctx, "CREATE SCHEMA "+schema); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_, _ = admin.Exec(ctx, "DROP SCHEMA "+schema+" CASCADE")
		_ = admin.Close(ctx)
	})
	address, err := url.Parse(server)
	if err != nil {
		b.Fatal(err)
	}
	options := address.Query()
	options.Set("search_path", schema)
	address.RawQuery = options.Encode()
	return address.String()
}

func needed(b *testing.B, name string) string {
	b.Helper()
	value := os.Getenv(name)
	if value == "" {
		b.Fatalf("%s is not set: run `make bench`, which starts the servers", name)
	}
	return value
}

// shared is the environment of processes that are one service.
func shared(b *testing.B) []string {
	b.Helper()
	dir := b.TempDir()
	return []string{
		"DATABASE_URL=" + postgres(b), "NATS_URL=" + needed(b, "ATELIER_TEST_NATS"), "NATS_PREFIX=bench-" + string(core.NewID()),
		"PROJECTS_ROOT=" + filepath.Join(dir, "projects"), "SITES_DIR=" + filepath.Join(dir, "sites"),
		"JWT_SECRET=" + strings.Repeat("s", 64), "ENCRYPTION_KEY=" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("k", 32))),
	}
}

// reads are the repeated requests, by name.
func (p *project) reads() map[string]string {
	return map[string]string{
		"me": "/auth/me", "projects": "/projects", "project": p.path(""), "list": p.path("/files"), "file": p.path("/files/src/App.tsx"),
	}
}

// ask loads a service with reads from somebody who is signed in, on a core,
// and returns how many it answers a second.
func ask(b *testing.B, at *process.Service, path, token string, core int) float64 {
	b.Helper()
	address := strings.Replace(at.URL, "localhost", "127.0.0.1", 1) + path
	line := append(onCore(core), "wrk", "-t1", "-c8", "-d1s", "-H", "Authorization: Bearer "+token, address)
	output, err := exec.Command(line[0], line[1:]...).CombinedOutput()
	match := requestsPerSecond.FindSubmatch(output)
	if err != nil || match == nil || badAnswers.Match(output) {
		b.Fatalf("wrk %s: %v\n%s", address, err, output)
	}
	rate, err := strconv.ParseFloat(string(match[1]), 64)
	if err != nil {
		b.Fatal(err)
	}
	return rate
}

var (
	requestsPerSecond = regexp.MustCompile(`Requests/sec:\s+([0-9.]+)`)
	badAnswers        = regexp.MustCompile("Non-2xx|Socket errors")
)

// ratioOf compares two rates over five rounds, one after the other in each.
func ratioOf(ours, theirs func() float64) float64 {
	var ratios []float64
	for range 5 {
		their := theirs()
		ratios = append(ratios, ours()/their)
	}
	slices.Sort(ratios)
	return ratios[2]
}

// onCore is the beginning of a command that stays on one core of the machine.
func onCore(core int) []string { return []string{"taskset", "-c", strconv.Itoa(core)} }

// BenchmarkTwoProcesses reads from two processes of one service, compared with one of
// them alone. Each has a core, which it shares with its clients. The rest of both cores
// belongs to PostgreSQL and NATS.
func BenchmarkTwoProcesses(b *testing.B) {
	binary, env := process.Build(b), shared(b)
	first := process.StartBehind(b, onCore(0), binary, env...)
	second := process.StartBehind(b, onCore(1), binary, append(env, "APP_URL="+first.URL)...)
	p := signUp(b, first).create()
	for name, path := range p.reads() {
		b.Run("read="+name, func(b *testing.B) {
			for b.Loop() {
				b.ReportMetric(ratioOf(
					func() float64 { return askBoth(b, path, p.token, first, second) },
					func() float64 { return ask(b, first, path, p.token, 0) },
				), "x-one")
			}
		})
	}
	b.Run("writes", func(b *testing.B) {
		for b.Loop() {
			b.ReportMetric(float64(writeThrough(b, p, first, second)), "lost")
		}
	})
}

// askBoth is ask of two processes at the same time, each on its core.
func askBoth(b *testing.B, path, token string, first, second *process.Service) float64 {
	b.Helper()
	var rates [2]float64
	var both sync.WaitGroup
	for core, at := range []*process.Service{first, second} {
		both.Go(func() { rates[core] = ask(b, at, path, token, core) })
	}
	both.Wait()
	return rates[0] + rates[1]
}

// The writes of BenchmarkTwoProcesses: people at each process, and the writes of each.
const (
	writersEach = 4
	writesEach  = 50
)

// writeThrough has people write through two processes, each many files of their own and
// all one file that they have in common, to which each adds lines. It returns how many
// of the writes that were answered well are not there afterwards, at either process.
func writeThrough(b *testing.B, p *project, first, second *process.Service) (lost int) {
	b.Helper()
	if err := p.putAt(first, "common.txt", ""); err != nil {
		b.Fatal(err)
	}
	var all sync.WaitGroup
	services := []*process.Service{first, second}
	for n := range 2 * writersEach {
		at := services[n%2]
		all.Go(func() {
			for k := range writesEach {
				mark := fmt.Sprintf("writer %d, line %d\n", n, k)
				if err := errors.Join(p.putAt(at, fmt.Sprintf("own/%d-%d.txt", n, k), mark), p.addLine(at, mark)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	for _, at := range services {
		common := strings.SplitAfter(p.mustGetAt(at, "common.txt"), "\n")
		for n := range 2 * writersEach {
			for k := range writesEach {
				mark := fmt.Sprintf("writer %d, line %d\n", n, k)
				if p.mustGetAt(at, fmt.Sprintf("own/%d-%d.txt", n, k)) != mark {
					lost++
				}
				if !slices.Contains(common, mark) {
					lost++
				}
			}
		}
	}
	return lost
}

// errChanged reports that a file has changed meanwhile.
var errChanged = errors.New("the file has changed")

// askAt sends a request about a file to one of the processes.
func (p *project) askAt(at *process.Service, method, path, tag, content string) (got, gotTag string, err error) {
	request, err := http.NewRequest(method, at.URL+p.path("/files/"+path), strings.NewReader(content))
	if err != nil {
		return "", "", err
	}
	request.Header.Set("Authorization", "Bearer "+p.token)
	if tag != "" {
		request.Header.Set("If-Match", tag)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return "", "", err
	case response.StatusCode == http.StatusPreconditionFailed:
		return "", "", errChanged
	case response.StatusCode >= 300:
		return "", "", fmt.Errorf("%s %s: got %d %.200s", method, path, response.StatusCode, text)
	}
	return string(text), response.Header.Get("ETag"), nil
}

func (p *project) putAt(at *process.Service, path, content string) error {
	_, _, err := p.askAt(at, http.MethodPut, path, "", content)
	return err
}

// mustGetAt is for the goroutine of the benchmark.
func (p *project) mustGetAt(at *process.Service, path string) string {
	p.b.Helper()
	text, _, err := p.askAt(at, http.MethodGet, path, "", "")
	if err != nil {
		p.b.Fatal(err)
	}
	return text
}

// addLine adds a line to the file that all have in common, as often as it takes.
func (p *project) addLine(at *process.Service, line string) error {
	for {
		text, tag, err := p.askAt(at, http.MethodGet, "common.txt", "", "")
		if err != nil {
			return err
		}
		if _, _, err = p.askAt(at, http.MethodPut, "common.txt", tag, text+line); !errors.Is(err, errChanged) {
			return err
		}
	}
}
