package sitehost

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// getSized gets a set of a given size, and reports whether it had to be loaded.
func getSized(t *testing.T, s *setCache, key, name string, bytes int64) (made bool) {
	t.Helper()
	set, err := s.get(t.Context(), key, name, func(context.Context, *fileSet) (*fileSet, error) {
		made = true
		return &fileSet{name: name, bytes: bytes}, nil
	})
	if err != nil || set.name != name {
		t.Fatalf("got %v, %v, want the set %s", set, err, name)
	}
	return made
}

func TestSetCache(t *testing.T) {
	t.Run("lets go of what has gone unused for longest", func(t *testing.T) {
		s := newSetCache(100)
		getSized(t, s, "a", "1", 40)
		getSized(t, s, "b", "1", 40)
		getSized(t, s, "a", "1", 40)
		getSized(t, s, "c", "1", 40)
		if getSized(t, s, "a", "1", 40) || getSized(t, s, "c", "1", 40) || !getSized(t, s, "b", "1", 40) {
			t.Error("got another set dropped, want b")
		}
	})

	t.Run("holds a set that is too large while it is used", func(t *testing.T) {
		s := newSetCache(100)
		getSized(t, s, "a", "1", 50)
		getSized(t, s, "huge", "1", 1000)
		if getSized(t, s, "huge", "1", 1000) {
			t.Error("got it made again, want it held")
		}
		getSized(t, s, "b", "1", 10)
		if getSized(t, s, "b", "1", 10) || !getSized(t, s, "huge", "1", 1000) {
			t.Error("got the huge one held, want only b")
		}
	})

	t.Run("replaces a set with one of another name, counting it once", func(t *testing.T) {
		s := newSetCache(100)
		getSized(t, s, "b", "1", 50)
		for i := range 10 {
			if !getSized(t, s, "a", fmt.Sprint(i), 50) {
				t.Errorf("got the set %d without making it", i)
			}
		}
		if getSized(t, s, "b", "1", 50) {
			t.Error("got b dropped, want room for both")
		}
	})

	t.Run("keeps nothing of what could not be made", func(t *testing.T) {
		s := newSetCache(100)
		broken := errors.New("broken")
		_, err := s.get(t.Context(), "a", "1", func(context.Context, *fileSet) (*fileSet, error) { return nil, broken })
		if !errors.Is(err, broken) {
			t.Errorf("got %v, want the error", err)
		}
		if !getSized(t, s, "a", "1", 1) {
			t.Error("got a set without making it")
		}
	})

	t.Run("makes a set once for all who wait", func(t *testing.T) {
		s := newSetCache(100)
		var made atomic.Int64
		var waiting sync.WaitGroup
		for range 20 {
			waiting.Go(func() {
				_, err := s.get(t.Context(), "a", "1", func(context.Context, *fileSet) (*fileSet, error) {
					made.Add(1)
					return &fileSet{name: "1"}, nil
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		waiting.Wait()
		if made.Load() != 1 {
			t.Errorf("got %d makings, want 1", made.Load())
		}
	})

	t.Run("lets a caller leave while another makes the set", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newSetCache(100)
			begun, finish := make(chan struct{}), make(chan struct{})
			var making sync.WaitGroup
			making.Go(func() {
				_, err := s.get(t.Context(), "a", "1", func(context.Context, *fileSet) (*fileSet, error) {
					close(begun)
					<-finish
					return &fileSet{name: "1"}, nil
				})
				if err != nil {
					t.Error(err)
				}
			})
			<-begun
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			if _, err := s.get(ctx, "a", "1", nil); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
			}
			close(finish)
			making.Wait()
		})
	})
}
