package gitdir_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/atelierhq/atelier/adapters/git/gitdir"
	"github.com/atelierhq/atelier/adapters/git/objects"
)

// newDir is an empty repository, and a function that takes the project's lock away.
func newDir(t *testing.T) (gitdir.Dir, func()) {
	t.Helper()
	path := filepath.Join(t.TempDir(), ".git")
	if err := gitdir.Make(path); err != nil {
		t.Fatal(err)
	}
	var lost error
	return gitdir.Open(path, func() error { return lost }), func() { lost = errors.New("the lock is lost") }
}

func TestHeadMovesUnderItsLock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, headMovesUnderItsLock)
}

func headMovesUnderItsLock(t *testing.T) {
	dir, _ := newDir(t)
	lock, err := dir.LockHead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	brief, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := dir.LockHead(brief); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second lock: got %v, want context.DeadlineExceeded", err)
	}
	commit := objects.New(plumbing.CommitObject, []byte("tree\n"))
	batch := dir.NewBatch()
	if err := batch.AddObjects([]objects.Object{commit}); err != nil {
		t.Fatal(err)
	}
	lock.Move(batch, commit.Hash)
	if err := batch.Write(); err != nil {
		t.Fatal(err)
	}
	lock.Release()
	if head, err := dir.Head(); err != nil || head != (gitdir.Head{Ref: gitdir.MainRef, Commit: commit.Hash}) {
		t.Errorf("got %v, %v, want main at %s", head, err, commit.Hash)
	}
	if _, err := os.Lstat(dir.Path(gitdir.MainRef) + ".lock"); err == nil {
		t.Error("got the lock left, want it gone")
	}
}

// TestHeadLockIsOfTheRefThatHeadNames is about a stock client that switches to another
// branch while the lock is waited for.
func TestHeadLockIsOfTheRefThatHeadNames(t *testing.T) {
	t.Parallel()
	synctest.Test(t, headLockIsOfTheRefThatHeadNames)
}

func headLockIsOfTheRefThatHeadNames(t *testing.T) {
	dir, _ := newDir(t)
	first, err := dir.LockHead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, func() {
		if err := os.WriteFile(dir.Path("HEAD"), []byte("ref: refs/heads/other\n"), 0o644); err != nil {
			t.Error(err)
		}
		first.Release()
	})
	second, err := dir.LockHead(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer second.Release()
	if got, want := second.Head().Ref, "refs/heads/other"; got != want {
		t.Errorf("got the head %s, want %s", got, want)
	}
	if !dir.OwnsLock(dir.Path("refs/heads/other.lock")) {
		t.Error("got no lock of the branch, want one")
	}
	if _, err := os.Lstat(dir.Path(gitdir.MainRef) + ".lock"); err == nil {
		t.Error("got the lock of main left, want it gone")
	}
}

func TestNothingChangesOnceTheProjectsLockIsLost(t *testing.T) {
	t.Parallel()
	dir, lose := newDir(t)
	lock, err := dir.LockIndex(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	lose()
	batch := dir.NewBatch()
	batch.AddNote("note", nil)
	lock.Replace(batch, []byte("index"))
	if err := batch.Write(); err == nil || !strings.Contains(err.Error(), "the lock is lost") {
		t.Errorf("write: got %v, want the lost lock", err)
	}
	for _, path := range []string{dir.Path("index"), dir.Aside("note")} {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("got %s, want nothing written", path)
		}
	}
	if left, err := filepath.Glob(dir.Aside("tmp-*")); err != nil || len(left) > 0 {
		t.Errorf("got %q left aside, %v, want nothing", left, err)
	}
	lock.Release()
	if _, err := os.Lstat(dir.Path("index.lock")); err != nil {
		t.Errorf("got %v, want the lock kept for the process that repairs", err)
	}
	if _, err := dir.LockHead(t.Context()); err == nil {
		t.Error("got a lock, want none without the project's lock")
	}
}
