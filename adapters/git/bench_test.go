package git_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/git"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree"
)

// BenchmarkSave is the cost of a PUT of 4 KiB below the HTTP layer: the durable write and
// the durable stage. It is compared with the stock git client, which only stages, and
// syncs nothing ("x-git-add", at most 1).
func BenchmarkSave(b *testing.B) {
	for _, files := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			r := newContest(b, files)
			path := core.MustPath("dir007/file00007.ts")
			r.race(b, "x-git-add", func(content []byte) {
				r.save(b, core.FileChange{Op: core.OpWrite, Path: path, Content: content})
			}, func(content []byte) {
				r.plain(b, path.String(), content)
				r.stock(b, "add", "--", path.String())
			})
		})
	}
}

// BenchmarkBulk writes and stages 100 files of 4 KiB and commits, against "git
// add" and "git commit" ("x-git-add-commit", at most 1).
func BenchmarkBulk(b *testing.B) {
	for _, files := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			r := newContest(b, files)
			r.race(b, "x-git-add-commit", func(content []byte) {
				changes := make([]core.FileChange, 100)
				for i := range changes {
					changes[i] = core.FileChange{Op: core.OpWrite, Path: core.MustPath(benchName(i)), Content: vary(content, i)}
				}
				r.save(b, changes...)
				r.commit(b)
			}, func(content []byte) {
				for i := range 100 {
					r.plain(b, benchName(i), vary(content, i))
				}
				r.stock(b, "add", "--all")
				r.stock(b, "commit", "--quiet", "--message=bulk")
			})
		})
	}
}

// BenchmarkCommit makes a version of one changed file, against "git commit".
func BenchmarkCommit(b *testing.B) {
	for _, files := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			r := newContest(b, files)
			path := core.MustPath("dir007/file00007.ts")
			r.race(b, "x-git-commit", func(content []byte) {
				start := time.Now()
				r.save(b, core.FileChange{Op: core.OpWrite, Path: path, Content: content})
				r.handicap = time.Since(start)
				r.commit(b)
			}, func(content []byte) {
				start := time.Now()
				r.plain(b, path.String(), content)
				r.stock(b, "add", "--", path.String())
				r.handicap = time.Since(start)
				r.stock(b, "commit", "--quiet", "--message=one")
			})
		})
	}
}

// BenchmarkLog reads a page of 50 versions, against "git log".
func BenchmarkLog(b *testing.B) {
	r := newContest(b, 1_000)
	for i := range 100 {
		r.save(b, core.FileChange{Op: core.OpWrite, Path: core.MustPath(benchName(i)), Content: []byte(fmt.Sprint("version ", i))})
		r.commit(b)
	}
	r.race(b, "x-git-log", func([]byte) {
		if page, err := r.repositories.Log(b.Context(), r.project, "", 50); err != nil || len(page) != 50 {
			b.Fatal(len(page), err)
		}
	}, func([]byte) { r.stock(b, "log", "--max-count=50", "--shortstat", "--no-renames") })
}

// contest is a project that this adapter and the stock client work on by turns.
type contest struct {
	dir          string
	project      core.ID
	tree         worktree.Tree
	repositories *git.Repositories
	round        int
	// handicap is the part of a turn that does not count.
	handicap time.Duration
}

func newContest(b *testing.B, files int) *contest {
	b.Helper()
	root := b.TempDir()
	trees := newTrees(b, root)
	r := &contest{project: core.NewID(), repositories: newRepositories(b, root)}
	r.dir = filepath.Join(root, string(r.project))
	err := trees.Create(b.Context(), r.project)
	if err == nil {
		r.tree, err = trees.Open(b.Context(), r.project)
	}
	if err == nil {
		err = r.repositories.Init(b.Context(), r.project)
	}
	if err != nil {
		b.Fatal(err)
	}
	changes := make([]core.FileChange, files)
	for i := range changes {
		changes[i] = core.FileChange{Op: core.OpWrite, Path: core.MustPath(benchName(i)), Content: []byte(fmt.Sprint("file ", i))}
	}
	r.save(b, changes...)
	r.commit(b)
	return r
}

func benchName(i int) string { return fmt.Sprintf("dir%03d/file%05d.ts", i%140, i) }

func vary(content []byte, i int) []byte { return append([]byte(fmt.Sprint(i)), content...) }

// race lets both sides work b.N times by turns, each time on new content, and
// reports the medians' ratio.
func (r *contest) race(b *testing.B, name string, ours, theirs func(content []byte)) {
	var own, other []time.Duration
	for b.Loop() {
		own = append(own, r.turn(ours))
		other = append(other, r.turn(theirs))
	}
	b.ReportMetric(float64(median(own))/float64(median(other)), name)
	b.ReportMetric(float64(median(own).Microseconds()), "µs-own")
	b.ReportMetric(float64(median(other).Microseconds()), "µs-git")
}

func (r *contest) turn(work func(content []byte)) time.Duration {
	r.round++
	content := []byte(strings.Repeat(fmt.Sprintf("export const value%d = %d\n", r.round, r.round), 200))[:4096]
	r.handicap = 0
	start := time.Now()
	work(content)
	return time.Since(start) - r.handicap
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

func (r *contest) save(b *testing.B, changes ...core.FileChange) {
	for _, result := range r.tree.Apply(b.Context(), changes) {
		if result.Err != nil {
			b.Fatal(result.Err)
		}
	}
	if err := r.repositories.Stage(b.Context(), r.project, changes); err != nil {
		b.Fatal(err)
	}
}

func (r *contest) commit(b *testing.B) {
	asked := vcs.Commit{Message: "version", Author: core.Author{Kind: core.AuthorUser, Name: "Ann"}, At: core.At(time.Now())}
	if _, made, err := r.repositories.Commit(b.Context(), r.project, asked); err != nil || !made {
		b.Fatal(made, err)
	}
}

func (r *contest) plain(b *testing.B, path string, content []byte) {
	if err := os.WriteFile(filepath.Join(r.dir, path), content, 0o644); err != nil {
		b.Fatal(err)
	}
}

// stock runs the stock client with its own defaults: it syncs nothing.
func (r *contest) stock(b *testing.B, args ...string) {
	if out, err := stock(r.dir, append([]string{"-c", "core.fsync=none"}, args...)...); err != nil {
		b.Fatal(out, err)
	}
}
