package durable

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/atelierhq/atelier/core"
)

func TestADiskThatDoesNotAnswerKeepsFewWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reach, answers := NewReach(), make(chan struct{})
		reach.lstat = func(string) (fs.FileInfo, error) {
			<-answers
			return nil, fs.ErrNotExist
		}
		var stuck sync.WaitGroup
		for range maxLooking {
			stuck.Go(func() {
				if _, err := reach.Lstat(t.Context(), "/projects"); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("got %v, want what the disk says", err)
				}
			})
		}
		synctest.Wait()
		if _, err := reach.Lstat(t.Context(), "/projects"); !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("got %v while the disk does not answer, want code %s", err, core.CodeUnavailable)
		}
		ended, end := context.WithCancel(t.Context())
		end()
		if _, err := reach.Lstat(ended, "/projects"); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want the caller's own end", err)
		}
		close(answers)
		stuck.Wait()
		if _, err := reach.Lstat(t.Context(), "/projects"); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v, want what the disk says again", err)
		}
	})
}

func TestReachLooksAtPaths(t *testing.T) {
	reach, dir := NewReach(), t.TempDir()
	if info, err := reach.Lstat(t.Context(), dir); err != nil || !info.IsDir() {
		t.Errorf("got %v, %v, want the directory", info, err)
	}
	if _, err := reach.Lstat(t.Context(), filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want that there is none", err)
	}
}
