package chat_test

import (
	"context"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// lapsingStore calls listed after a query for the runs whose lease has expired.
type lapsingStore struct {
	storage.Store
	listed func()
}

func (s *lapsingStore) Tables() storage.Tables {
	tables := s.Store.Tables()
	tables.Runs = lapsingRuns{tables.Runs, s}
	return tables
}

type lapsingRuns struct {
	storage.Runs
	store *lapsingStore
}

func (r lapsingRuns) Lapsed(ctx context.Context, now core.Time) ([]core.Run, error) {
	found, err := r.Runs.Lapsed(ctx, now)
	r.store.listed()
	return found, err
}

// TestARunWhoseProcessComesBackIsLeftToIt lets a slow process renew its lease just
// when another is about to take over its run.
func TestARunWhoseProcessComesBackIsLeftToIt(t *testing.T) {
	for name, detached := range map[string]bool{"one that goes on elsewhere": true, "one that ends": false} {
		t.Run(name, func(t *testing.T) {
			r := newRoom(t)
			run := r.cutOff(detached)
			lease := func(until core.Time) {
				_, err := r.store.Tables().Runs.Update(t.Context(), run.ID, func(run *core.Run) error {
					run.LeaseUntil = until
					return nil
				})
				must(t, err)
			}
			lease(1)
			r.append(core.UserMessage{Text: "from the queue"})
			r.front = &lapsingStore{Store: r.store, listed: func() { lease(core.At(time.Now().Add(time.Hour))) }}
			r.several = true
			r.service = r.open()
			must(t, r.service.Start(t.Context()))
			got, err := r.store.Tables().Runs.ByID(t.Context(), run.ID)
			if err != nil || got.Status != core.RunRunning || got.Owner != "a dead process" {
				t.Errorf("got it %s with %q, %v, want it left to its process", got.Status, got.Owner, err)
			}
			r.checkLog("user.message")
		})
	}
}
