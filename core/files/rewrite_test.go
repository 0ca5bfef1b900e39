package files_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/core"
)

// rewrite rewrites a file as the member.
func (f *fixture) rewrite(path string, limit int64, do func([]byte) ([]byte, bool, error)) (core.FileEntry, error) {
	result, err := f.pipeline.Rewrite(f.ctx, core.Author{Kind: core.AuthorUser, Name: "Ann"}, f.at(path), limit, do)
	if result.Entry == nil {
		return core.FileEntry{}, err
	}
	return *result.Entry, err
}

func TestRewriteGoesTheWayOfAllWrites(t *testing.T) {
	f := newFixture(t)
	entry, err := f.rewrite("README.md", 100, func(content []byte) ([]byte, bool, error) { return append(content, '!'), true, nil })
	f.must(err)
	if got := f.read("README.md"); got != "hello!" || entry.Size != 6 {
		t.Errorf("got %q, %+v", got, entry)
	}
	f.wantPaths("README.md", "src/main.js")
}

func TestRewriteLeavesWhatIsNotChanged(t *testing.T) {
	f := newFixture(t)
	var seen string
	entry, err := f.rewrite("README.md", 2, func(content []byte) ([]byte, bool, error) { seen = string(content); return nil, false, nil })
	if err != nil || seen != "hel" || entry.Size != 5 || f.read("README.md") != "hello" {
		t.Errorf("got %q, %+v, %v", seen, entry, err)
	}
	refusal := errors.New("no")
	if _, err := f.rewrite("README.md", 100, func([]byte) ([]byte, bool, error) { return nil, true, refusal }); !errors.Is(err, refusal) || f.read("README.md") != "hello" {
		t.Errorf("got %v, want the caller's own error", err)
	}
	_, err = f.rewrite("none", 100, func([]byte) ([]byte, bool, error) { return nil, true, nil })
	f.wantCode(err, core.CodeNotFound)
}

func TestRewritesAndWritesLoseNothing(t *testing.T) {
	f := newFixture(t)
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			_, err := f.rewrite("README.md", 1000, func(content []byte) ([]byte, bool, error) { return fmt.Appendf(content, " %d;", i), true, nil })
			if err != nil {
				t.Error(err)
			}
			f.apply(write(fmt.Sprintf("f%d", i), "x"))
		})
	}
	group.Wait()
	for i := range 20 {
		if got := f.read("README.md"); !strings.Contains(got, fmt.Sprintf(" %d;", i)) {
			t.Errorf("got %q without %d", got, i)
		}
	}
}
