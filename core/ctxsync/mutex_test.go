package ctxsync

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
)

// mustLock locks key without having to wait.
func mustLock(t *testing.T, k *KeyedMutex[string], key string) (unlock func()) {
	t.Helper()
	unlock, err := k.Lock(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return unlock
}

func TestCallersOfAKeyHoldItOneAtATimeInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var k KeyedMutex[string]
		unlock := mustLock(t, &k, "a")
		var served []int
		for i := range 5 {
			go func() {
				unlock, err := k.Lock(t.Context(), "a")
				if err != nil {
					t.Error(err)
					return
				}
				served = append(served, i) // the race detector sees two holders
				unlock()
			}()
			synctest.Wait()
		}
		if len(served) > 0 {
			t.Errorf("got %v served under another's lock, want none", served)
		}
		unlock()
		synctest.Wait()
		if want := []int{0, 1, 2, 3, 4}; !slices.Equal(served, want) {
			t.Errorf("got the order %v, want %v", served, want)
		}
	})
}

func TestKeysDoNotWaitForEachOther(t *testing.T) {
	var k KeyedMutex[string]
	defer mustLock(t, &k, "a")()
	defer mustLock(t, &k, "b")()
}

func TestWaitingForALockEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var k KeyedMutex[string]
		unlock := mustLock(t, &k, "a")
		ctx, cancel := context.WithCancel(t.Context())
		var failed error
		go func() { _, failed = k.Lock(ctx, "a") }()
		synctest.Wait()
		cancel()
		synctest.Wait()
		if !errors.Is(failed, context.Canceled) {
			t.Errorf("got %v, want %v", failed, context.Canceled)
		}
		unlock()
		mustLock(t, &k, "a")()
		if _, err := k.Lock(ctx, "a"); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v for a free lock and an ended context, want %v", err, context.Canceled)
		}
		if len(k.mutexes) != 0 {
			t.Errorf("got %d idle keys kept, want 0", len(k.mutexes))
		}
	})
}

func TestUnlockingTwiceReleasesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var k KeyedMutex[string]
		first := mustLock(t, &k, "a")
		first()
		second := mustLock(t, &k, "a")
		first()
		entered := false
		go func() {
			mustLock(t, &k, "a")()
			entered = true
		}()
		synctest.Wait()
		if entered {
			t.Error("a caller got a lock that another holds")
		}
		second()
	})
}

func TestIdleKeysAreForgotten(t *testing.T) {
	var k KeyedMutex[int]
	var callers sync.WaitGroup
	for caller := range 4 {
		callers.Go(func() {
			for i := range 200 {
				ctx, cancel := context.WithCancel(t.Context())
				if caller%2 == 0 {
					cancel()
				}
				if unlock, err := k.Lock(ctx, i%10); err == nil {
					unlock()
				}
				cancel()
			}
		})
	}
	callers.Wait()
	if len(k.mutexes) != 0 {
		t.Errorf("got %d idle keys kept, want 0", len(k.mutexes))
	}
}

func TestAKeyHasABoundOfCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := KeyedMutex[string]{MaxCallers: 2}
		unlock := mustLock(t, &k, "a")
		ctx, cancel := context.WithCancel(t.Context())
		go func() { _, _ = k.Lock(ctx, "a") }()
		synctest.Wait()
		if _, err := k.Lock(t.Context(), "a"); !errors.Is(err, ErrFull) {
			t.Errorf("got %v for a third caller, want %v", err, ErrFull)
		}
		mustLock(t, &k, "b")()
		cancel()
		unlock()
		synctest.Wait()
		mustLock(t, &k, "a")()
	})
}
