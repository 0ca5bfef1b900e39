package ctxsync

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestConcurrentCallersShareOneCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s SingleFlight[string, int]
		runs := 0
		run := func(context.Context) (int, error) {
			runs++
			time.Sleep(time.Second)
			return runs, nil
		}
		for want := 1; want <= 2; want++ {
			var callers sync.WaitGroup
			for range 5 {
				callers.Go(func() {
					if got, err := s.Do(t.Context(), "a", run); got != want || err != nil {
						t.Errorf("got %d, %v, want the result %d", got, err, want)
					}
				})
				callers.Go(func() {
					if got, err := s.Start(t.Context(), "a", run).Wait(t.Context()); got != want || err != nil {
						t.Errorf("got %d, %v for a detached call, want the result %d", got, err, want)
					}
				})
			}
			callers.Wait()
		}
		if len(s.calls) != 0 {
			t.Errorf("got %d calls kept, want 0", len(s.calls))
		}
	})
}

func TestCallsOfDifferentKeysDoNotWaitForEachOther(t *testing.T) {
	var s SingleFlight[string, string]
	got, err := s.Do(t.Context(), "a", func(ctx context.Context) (string, error) {
		return s.Do(ctx, "b", func(context.Context) (string, error) { return "b", nil })
	})
	if got != "b" || err != nil {
		t.Errorf("got %q, %v, want b", got, err)
	}
}

func TestAnErrorReachesAllCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s SingleFlight[string, int]
		broken := errors.New("broken")
		var callers sync.WaitGroup
		for range 3 {
			callers.Go(func() {
				_, err := s.Do(t.Context(), "a", func(context.Context) (int, error) {
					time.Sleep(time.Second)
					return 0, broken
				})
				if !errors.Is(err, broken) {
					t.Errorf("got %v, want %v", err, broken)
				}
			})
		}
		callers.Wait()
	})
}

func TestACallGoesOnUntilItsLastCallerGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s SingleFlight[string, int]
		ended := false
		run := func(ctx context.Context) (int, error) {
			<-ctx.Done()
			time.Sleep(time.Second)
			ended = true
			return 0, nil
		}
		first, cancelFirst := context.WithCancel(t.Context())
		last, cancelLast := context.WithCancel(t.Context())
		var left []error
		for _, ctx := range []context.Context{first, last} {
			go func() {
				_, err := s.Do(ctx, "a", run)
				left = append(left, err)
				if len(left) == 2 && !ended {
					t.Error("the last caller left while the call went on")
				}
			}()
		}
		synctest.Wait()
		cancelFirst()
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(left) != 1 || !errors.Is(left[0], context.Canceled) || ended {
			t.Errorf("got %v and ended: %v, want one caller to have left", left, ended)
		}
		cancelLast()
		synctest.Wait()
		if got, err := s.Do(t.Context(), "a", func(context.Context) (int, error) { return 2, nil }); got != 2 || err != nil {
			t.Errorf("got %d, %v while a cancelled call ends, want one of its own", got, err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(left) != 2 || !errors.Is(left[1], context.Canceled) {
			t.Errorf("got %v, want both callers to have left", left)
		}
	})
}

func TestADetachedCallGoesOnWithoutCallers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type valueKey struct{}
		var s SingleFlight[string, int]
		ctx, cancel := context.WithCancel(context.WithValue(t.Context(), valueKey{}, "held"))
		call := s.Start(ctx, "a", func(ctx context.Context) (int, error) {
			time.Sleep(time.Minute)
			if ctx.Value(valueKey{}) == nil {
				t.Error("got a context without the caller's values")
			}
			return 1, ctx.Err()
		})
		cancel()
		if _, err := call.Wait(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
		if _, err := s.Do(ctx, "a", nil); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want %v", err, context.Canceled)
		}
		if got, err := call.Wait(t.Context()); got != 1 || err != nil {
			t.Errorf("got %d, %v, want 1", got, err)
		}
	})
}
