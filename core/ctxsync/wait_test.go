package ctxsync

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestWaitEndsWithTheGroupOrTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var group sync.WaitGroup
		if err := Wait(t.Context(), &group); err != nil {
			t.Errorf("an empty group: got %v", err)
		}
		group.Go(func() { time.Sleep(time.Minute) })
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := Wait(short, &group); err != context.DeadlineExceeded {
			t.Errorf("got %v, want the context's error", err)
		}
		begun := time.Now()
		if err := Wait(t.Context(), &group); err != nil || time.Since(begun) != 59*time.Second {
			t.Errorf("got %v after %s, want the end of the group after 59 seconds", err, time.Since(begun))
		}
	})
}
