package sitehost

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
)

// sizedForm returns a form of a given size in a cache, and a count of its reads.
func sizedForm(m *bodyCache, bytesHeld int) (*form, *atomic.Int64) {
	readings := new(atomic.Int64)
	return newForm(`"t`, "", m, func(context.Context) ([]byte, error) {
		readings.Add(1)
		return bytes.Repeat([]byte("x"), bytesHeld), nil
	}), readings
}

func mustGet(t *testing.T, f *form) *cachedBody {
	t.Helper()
	now, err := f.get(t.Context())
	if err != nil || now == nil {
		t.Fatalf("got %v, %v, want what the form holds", now, err)
	}
	return now
}

func TestBodyCache(t *testing.T) {
	t.Run("gives back what was not sent for longest", func(t *testing.T) {
		m := newBodyCache(100)
		hot, hotReadings := sizedForm(m, 40)
		cold, coldReadings := sizedForm(m, 40)
		mustGet(t, hot)
		mustGet(t, cold)
		for range 20 {
			mustGet(t, hot)
			other, _ := sizedForm(m, 40)
			mustGet(t, other)
		}
		mustGet(t, hot)
		mustGet(t, cold)
		if hotReadings.Load() > 2 || coldReadings.Load() != 2 {
			t.Errorf("got %d and %d readings, want the one that is sent to stay and the other to go", hotReadings.Load(), coldReadings.Load())
		}
	})

	t.Run("never holds more than its limit and the newest", func(t *testing.T) {
		m := newBodyCache(100)
		for n := range 200 {
			f, _ := sizedForm(m, n%90+1)
			mustGet(t, f)
			var sum int64
			for _, at := range m.ring {
				sum += at.bytes
			}
			if m.bytes != sum || m.bytes > 100 {
				t.Fatalf("got %d bytes counted and %d held, want the same, at most 100", m.bytes, sum)
			}
		}
		huge, _ := sizedForm(m, 1000)
		mustGet(t, huge)
		if len(m.ring) != 1 || m.bytes != 1000 {
			t.Errorf("got %d forms of %d bytes, want only the newest", len(m.ring), m.bytes)
		}
	})

	t.Run("reads once for all who wait", func(t *testing.T) {
		m := newBodyCache(100)
		f, readings := sizedForm(m, 10)
		var waiting sync.WaitGroup
		for range 20 {
			waiting.Go(func() {
				if now, err := f.get(t.Context()); err != nil || len(now.content) != 10 {
					t.Errorf("got %v, %v, want the body", now, err)
				}
			})
		}
		waiting.Wait()
		if readings.Load() != 1 {
			t.Errorf("got %d readings, want 1", readings.Load())
		}
	})

	t.Run("holds nothing of what could not be read, nor of what is not there", func(t *testing.T) {
		m := newBodyCache(100)
		broken := errors.New("broken")
		for _, answer := range []error{broken, nil} {
			f := newForm(`"t`, "", m, func(context.Context) ([]byte, error) { return nil, answer })
			if now, err := f.get(t.Context()); now != nil || !errors.Is(err, answer) {
				t.Errorf("got %v, %v, want %v", now, err, answer)
			}
		}
		if len(m.ring) != 0 {
			t.Errorf("got %d forms, want none", len(m.ring))
		}
	})

	t.Run("serves many at once while it makes room", func(t *testing.T) {
		m := newBodyCache(1000)
		var forms []*form
		for n := range 50 {
			body := []byte(fmt.Sprintf("%0100d", n))
			forms = append(forms, newForm(`"t`, "", m, func(context.Context) ([]byte, error) { return body, nil }))
		}
		var serving sync.WaitGroup
		for worker := range 8 {
			serving.Go(func() {
				for i := range 500 {
					n := (i*7 + worker) % len(forms)
					now, err := forms[n].get(t.Context())
					if err != nil || string(now.content) != fmt.Sprintf("%0100d", n) {
						t.Errorf("got %v of form %d, want its own body", err, n)
						return
					}
				}
			})
		}
		serving.Wait()
		if m.bytes > 1000 {
			t.Errorf("got %d bytes held, want at most 1000", m.bytes)
		}
	})
}
