package chat_test

import (
	"testing"
	"testing/synctest"

	"github.com/atelierhq/atelier/ports/storage"
)

//go:generate go tool moq -out storagemock_test.go -pkg chat_test ../../ports/storage Chats:chatsMock Runs:runsMock

// countingStore is a store whose tables of chats and runs keep what they were called with.
type countingStore struct {
	storage.Store
	chats *chatsMock
	runs  *runsMock
}

func newCountingStore(store storage.Store) *countingStore {
	chats, runs := store.Tables().Chats, store.Tables().Runs
	return &countingStore{
		store,
		&chatsMock{CreateFunc: chats.Create, ByIDFunc: chats.ByID, ListFunc: chats.List, UpdateFunc: chats.Update, RunsFunc: chats.Runs, DeleteFunc: chats.Delete},
		&runsMock{
			CreateFunc: runs.Create, ByIDFunc: runs.ByID, BusyFunc: runs.Busy, ClaimFunc: runs.Claim, LapsedFunc: runs.Lapsed,
			UpdateFunc: runs.Update, HoldFunc: runs.Hold,
		},
	}
}

func (c *countingStore) Tables() storage.Tables {
	tables := c.Store.Tables()
	tables.Chats, tables.Runs = c.chats, c.runs
	return tables
}

// TestWhatARunSetsApartIsOneQuery lets a run change three files, of which two are new to it.
func TestWhatARunSetsApartIsOneQuery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoom(t)
		store := newCountingStore(r.store)
		r.front = store
		r.service = r.open()
		r.model.Call("write_file", `{"path":"a","content":"1"}`).Call("write_file", `{"path":"b","content":"1"}`).Call("write_file", `{"path":"a","content":"2"}`)
		r.model.Say("Done.")
		_, err := r.send("go")
		must(t, err)
		if lists, queries := len(store.chats.ListCalls()), len(store.chats.RunsCalls()); lists != 0 || queries != 2 {
			t.Errorf("got %d lists of chats and %d queries for runs, want one query for each path that is new to the run", lists, queries)
		}
	})
}
