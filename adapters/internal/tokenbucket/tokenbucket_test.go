package tokenbucket

import (
	"testing"
	"time"
)

func TestABucketEmptiesAndFills(t *testing.T) {
	now := time.Unix(1, 0)
	b := New(4)
	for n := range 4 {
		if wait := b.Take(now); wait != 0 {
			t.Errorf("token %d: got a wait of %s, want none", n, wait)
		}
	}
	if wait := b.Take(now); wait != time.Second/4 {
		t.Errorf("got a wait of %s from an empty bucket, want %s", wait, time.Second/4)
	}
	if wait := b.Take(now.Add(time.Second / 4)); wait != 0 {
		t.Errorf("got a wait of %s after the wait, want none", wait)
	}
	later := now.Add(time.Hour)
	for range 4 {
		b.Take(later)
	}
	if b.Take(later) == 0 {
		t.Error("an hour filled the bucket with more than it holds")
	}
}
