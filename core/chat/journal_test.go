package chat

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/atelierhq/atelier/core"
)

func TestJournalMergesWhatWaitsAndKeepsTheOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		var batches [][]core.Payload
		j := newJournal(func(batch []core.Payload) error {
			<-gate
			batches = append(batches, batch)
			return nil
		})
		for _, payload := range []core.Payload{
			core.MessageDelta{Delta: "first"},
			core.ReasoningDelta{Delta: "a"}, core.ReasoningDelta{Delta: "b"},
			core.MessageDelta{Delta: "c"}, core.MessageDelta{Delta: "d"},
			core.UsageInfo{InputTokens: 1},
			core.MessageDelta{Delta: "e"},
		} {
			if err := j.record(payload); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		close(gate)
		if err := j.flush(); err != nil {
			t.Fatal(err)
		}
		want := []core.Payload{
			core.ReasoningDelta{Delta: "ab"}, core.MessageDelta{Delta: "cd"}, core.UsageInfo{InputTokens: 1}, core.MessageDelta{Delta: "e"},
		}
		if len(batches) != 2 || len(batches[0]) != 1 || len(batches[1]) != len(want) {
			t.Fatalf("got %+v, want the first delta at once and the rest in one batch", batches)
		}
		for i := range want {
			if batches[1][i] != want[i] {
				t.Errorf("got %+v at %d, want %+v", batches[1][i], i, want[i])
			}
		}
	})
}

func TestJournalMakesTheModelWaitForTheDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		j := newJournal(func([]core.Payload) error { <-gate; return nil })
		recorded := 0
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 100 {
				if err := j.record(core.MessageDelta{Delta: strings.Repeat("x", 64<<10)}); err != nil {
					t.Error(err)
				}
				recorded++
			}
		}()
		synctest.Wait()
		// One batch is being stored, one waits; each passes the bound by one delta.
		if recorded > 2*(maxPendingBytes/(64<<10)+1) {
			t.Errorf("got %d deltas taken while nothing was stored, want the model to wait", recorded)
		}
		close(gate)
		<-done
		if err := j.flush(); err != nil || recorded != 100 {
			t.Errorf("got %d, %v, want all of them in the end", recorded, err)
		}
	})
}

func TestJournalEndsWithTheFirstFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("disk")
		stored := 0
		j := newJournal(func([]core.Payload) error { stored++; return broken })
		_ = j.record(core.MessageDelta{Delta: "a"})
		synctest.Wait()
		if err := j.record(core.MessageDelta{Delta: "b"}); !errors.Is(err, broken) {
			t.Errorf("got %v, want the failure of the batch before", err)
		}
		if err := j.flush(); !errors.Is(err, broken) || stored != 1 {
			t.Errorf("got %v after %d batches, want the failure and nothing more stored", err, stored)
		}
	})
}
