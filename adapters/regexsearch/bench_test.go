package regexsearch_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/disk"
	"github.com/atelierhq/atelier/adapters/regexsearch"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/search"
	"github.com/atelierhq/atelier/ports/worktree"
)

// BenchmarkSearch searches 10 MB in 1,000 files for patterns of many kinds and compares
// the time with that of ripgrep on as many threads, and the matches too. The metric x-rg
// is the ratio of the medians. It must be at most 5 for people's patterns, nearly all of
// which require a literal. On a busy machine, x-rg-cpu is more accurate.
func BenchmarkSearch(b *testing.B) {
	root := b.TempDir()
	trees, err := disk.NewTrees(root)
	if err != nil {
		b.Fatal(err)
	}
	defer trees.Close()
	project, tree := newTree(b, trees)
	dir := filepath.Join(root, string(project))
	writeProject(b, dir)
	for _, pattern := range []string{
		`handleSubmitForm42`, `useState`, `projectStore\.\w+All\(`, `export\s+const\s+reducer\d+`, `^import .* from 'react'`,
		`(?i)fixme`, `renderRow|parseInput|formatDate`, `\w+\s+!==\s+\w+`, `(\w+) \d+ lazy`,
	} {
		for name, files := range map[string]fs.FS{"tree": tree.FS(), "dir": os.DirFS(dir)} {
			b.Run(name+"/"+pattern, func(b *testing.B) { compareWithRipgrep(b, dir, files, pattern) })
		}
	}
	b.Run("no literal", func(b *testing.B) { compareWithRipgrep(b, dir, tree.FS(), `[a-z]{5}\d{4}[A-Z]`) })
}

// newTree makes an empty project as the service keeps it.
func newTree(b *testing.B, trees *disk.Trees) (project core.ID, tree worktree.Tree) {
	b.Helper()
	project = core.NewID()
	if err := trees.Create(b.Context(), project); err != nil {
		b.Fatal(err)
	}
	tree, err := trees.Open(b.Context(), project)
	if err != nil {
		b.Fatal(err)
	}
	return project, tree
}

func compareWithRipgrep(b *testing.B, dir string, files fs.FS, pattern string) {
	engine := regexsearch.New()
	var ours, theirs []float64
	var ourCPU, theirCPU time.Duration
	for b.Loop() {
		started, used := time.Now(), cpuTime(b, syscall.RUSAGE_SELF)
		found, err := engine.Search(b.Context(), files, search.Query{Pattern: pattern, Limit: math.MaxInt})
		ours = append(ours, time.Since(started).Seconds())
		ourCPU += cpuTime(b, syscall.RUSAGE_SELF) - used
		if err != nil {
			b.Fatal(err)
		}
		started, used = time.Now(), cpuTime(b, syscall.RUSAGE_CHILDREN)
		output := ripgrep(b, dir, pattern)
		theirs = append(theirs, time.Since(started).Seconds())
		theirCPU += cpuTime(b, syscall.RUSAGE_CHILDREN) - used
		if len(ours) == 1 {
			wantSameMatches(b, found, output)
			b.ReportMetric(float64(len(found.Matches)), "matches")
		}
	}
	b.ReportMetric(1000*median(ours), "ms")
	b.ReportMetric(1000*median(theirs), "rg-ms")
	b.ReportMetric(median(ours)/median(theirs), "x-rg")
	b.ReportMetric(ourCPU.Seconds()/theirCPU.Seconds(), "x-rg-cpu")
}

func cpuTime(b *testing.B, who int) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(who, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func median(seconds []float64) float64 {
	slices.Sort(seconds)
	return seconds[len(seconds)/2]
}

func ripgrep(b *testing.B, dir, pattern string) []byte {
	b.Helper()
	cmd := exec.Command("rg", "-j2", "--no-config", "--no-ignore", "--hidden", "--no-heading", "-n", "--column", "-e", pattern)
	cmd.Dir = dir
	output, err := cmd.Output()
	if err != nil {
		b.Fatalf("rg: %v", err)
	}
	return output
}

func wantSameMatches(b *testing.B, found search.Found, output []byte) {
	b.Helper()
	var theirs, ours []string
	for line := range strings.Lines(string(output)) {
		theirs = append(theirs, strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "./"))
	}
	for _, m := range found.Matches {
		ours = append(ours, fmt.Sprintf("%s:%d:%d:%s", m.Path, m.Line, m.Column, m.Text))
	}
	slices.Sort(theirs)
	slices.Sort(ours)
	if !slices.Equal(ours, theirs) {
		b.Fatalf("got %d matches, rg has %d, or they differ", len(ours), len(theirs))
	}
}

// writeProject makes files of 10 KB that look like the sources of an app, 50 in
// a directory.
func writeProject(b *testing.B, dir string) {
	b.Helper()
	random := rand.New(rand.NewPCG(7, 8))
	for i := range 1_000 {
		name := filepath.Join(dir, fmt.Sprintf("pkg%d/src/module%d/file%d.tsx", i/500, i/50, i))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, source(random, i), 0o644); err != nil {
			b.Fatal(err)
		}
	}
}

func source(random *rand.Rand, i int) []byte {
	var out bytes.Buffer
	w := bufio.NewWriter(&out)
	fmt.Fprintf(w, "import React, { useState } from 'react'\nimport { projectStore } from '../store'\n\n")
	for out.Len()+w.Buffered() < 10_000 {
		writeStatement(w, random, i)
	}
	_ = w.Flush()
	return out.Bytes()
}

func writeStatement(w io.Writer, random *rand.Rand, i int) {
	words := []string{"value", "props", "state", "index", "items", "project", "render", "handler", "element", "callback", "payload", "response"}
	word := func() string { return words[random.IntN(len(words))] }
	n := random.IntN(10_000)
	switch random.IntN(12) {
	case 0, 1, 2:
		fmt.Fprintf(w, "  const [%s%d, set%s] = useState(%d)\n", word(), n, word(), n)
	case 3:
		fmt.Fprintf(w, "  // the %s of the %s is kept until the %s asks for it again\n", word(), word(), word())
	case 4:
		fmt.Fprintf(w, "  if (%s.%s === %d) { return %s(%s) }\n", word(), word(), n, word(), word())
	case 5:
		fmt.Fprintf(w, "      <div className=\"%s-%s flex items-center\" onClick={() => %s(%d)}>{%s}</div>\n", word(), word(), word(), n, word())
	case 6, 7, 8:
		fmt.Fprintf(w, "    %s.%s = %s.map((%s) => ({ ...%s, %s: %d }))\n", word(), word(), word(), word(), word(), word(), n)
	case 9:
		fmt.Fprintf(w, "export function %s%d(%s: %s[], %s?: number) {\n", word(), n, word(), word(), word())
	case 10:
		fmt.Fprintf(w, "}\n\n")
	case 11:
		writeRare(w, random.IntN(40), i, n)
	}
}

// writeRare writes the texts that the benchmark's patterns search for.
func writeRare(w io.Writer, kind, i, n int) {
	switch kind {
	case 0:
		fmt.Fprintf(w, "  handleSubmitForm%d(event)\n", i%1000)
	case 1:
		fmt.Fprintf(w, "  projectStore.fetch%dAll(query)\n", n)
	case 2:
		fmt.Fprintf(w, "export const reducer%d = createReducer(initial)\n", n)
	case 3:
		fmt.Fprintf(w, "  // FixMe: the list is drawn twice\n")
	case 4:
		fmt.Fprintf(w, "  const id = 'track%04dX'\n", n)
	case 5:
		fmt.Fprintf(w, "  return renderRow(parseInput(%d))\n", n)
	case 6:
		fmt.Fprintf(w, "  while (left !== right) { step() }\n")
	case 7:
		fmt.Fprintf(w, "  // the brown fox jumps over %d lazy dogs\n", n)
	default:
		fmt.Fprintf(w, "  return null\n")
	}
}
