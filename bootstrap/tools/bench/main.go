// Command bench runs the benchmarks that have a bar and prints each as a ratio to its
// peer in the same run. -only selects rows by a regular expression over their titles.
package main

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// bar is one line of the table: a metric of a benchmark and its bound.
type bar struct {
	title string
	// benchmark is a benchmark's whole name or, with a trailing slash, a prefix of
	// several; the worst of them counts.
	pkg, benchmark, metric string
	// most is the largest acceptable value, or the smallest if atLeast is set.
	most    float64
	atLeast bool
	// without says why nothing is required on this machine, otherwise it is empty.
	without string
}

func main() {
	only := flag.String("only", "", "measure only the rows whose title matches this regular expression")
	flag.Parse()
	selected, err := matching(bars(), *only)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	measured := map[string]map[string]float64{}
	for _, b := range selected {
		key := b.pkg + " " + root(b.benchmark)
		if measured[key] != nil {
			continue
		}
		results, err := measure(ctx, b.pkg, root(b.benchmark))
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		measured[key] = results
	}
	if !report(selected, measured) {
		os.Exit(1)
	}
}

// root returns a benchmark's name without its sub-benchmark.
func root(benchmark string) string {
	name, _, _ := strings.Cut(benchmark, "/")
	return name
}

// matching returns the rows whose title matches a regular expression.
func matching(rows []bar, pattern string) ([]bar, error) {
	titles, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("-only: %w", err)
	}
	rows = slices.DeleteFunc(rows, func(b bar) bool { return !titles.MatchString(b.title) })
	if len(rows) == 0 {
		return nil, fmt.Errorf("-only: no row has a title that matches %q", pattern)
	}
	return rows, nil
}

// report prints the table of rows and reports whether every bar is met.
func report(rows []bar, measured map[string]map[string]float64) bool {
	good := true
	fmt.Printf("\n%-60s %14s   %s\n", "what", "measured", "bar")
	for _, b := range rows {
		value, found := b.value(measured[b.pkg+" "+root(b.benchmark)])
		shown := "none"
		if found {
			shown = readable(value, b.metric)
		}
		holds, demand := b.judge(value)
		if !found || !holds {
			demand, good = demand+"  MISSED", false
		}
		fmt.Printf("%-60s %14s   %s\n", b.title, shown, demand)
	}
	return good
}

// judge reports whether a value is acceptable, and says what is required.
func (b bar) judge(value float64) (holds bool, demand string) {
	switch {
	case b.without != "":
		return true, "no bar: " + b.without
	case b.atLeast:
		return value >= b.most, ">= " + readable(b.most, b.metric)
	}
	return value <= b.most, "<= " + readable(b.most, b.metric)
}

// readable returns a value with its unit; times are in milliseconds.
func readable(value float64, metric string) string {
	if metric == "ns/op" {
		value, metric = value/1e6, "ms"
	}
	return strconv.FormatFloat(value, 'g', 3, 64) + " " + metric
}

// value finds the metric among the results. Of several it returns the worst, which is the
// smallest if atLeast is set.
func (b bar) value(results map[string]float64) (value float64, found bool) {
	var all []float64
	for name, measured := range results {
		benchmark, metric, _ := strings.Cut(name, " ")
		several := strings.HasSuffix(b.benchmark, "/") && strings.HasPrefix(benchmark, b.benchmark)
		if metric == b.metric && (benchmark == b.benchmark || several) {
			all = append(all, measured)
		}
	}
	if len(all) == 0 {
		return 0, false
	}
	if b.atLeast {
		return slices.Min(all), true
	}
	return slices.Max(all), true
}

// resultLine finds the name of a benchmark, without the number of processors.
var resultLine = regexp.MustCompile(`^(Benchmark\S+?)(?:-\d+)?\s+\d+\s+(.*)$`)

// measure runs one benchmark and returns its metrics by "name unit".
func measure(ctx context.Context, pkg, benchmark string) (map[string]float64, error) {
	fmt.Printf("running %s of %s\n", benchmark, pkg)
	command := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", "^"+benchmark+"$", "-benchtime", "1s", "-timeout", "20m", pkg)
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, os.Stderr
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", benchmark, err, out.String())
	}
	results := map[string]float64{}
	lines := bufio.NewScanner(&out)
	for lines.Scan() {
		match := resultLine.FindStringSubmatch(lines.Text())
		if match == nil {
			continue
		}
		fields := strings.Fields(match[2])
		for i := 0; i+1 < len(fields); i += 2 {
			if value, err := strconv.ParseFloat(fields[i], 64); err == nil {
				results[match[1]+" "+fields[i+1]] = value
			}
		}
	}
	return results, lines.Err()
}
