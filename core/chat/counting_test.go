package chat_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/ports/storage"
)

//go:generate go tool moq -out storagemock_test.go -pkg chat_test ../../ports/storage Chats:chatsMock Projects:projectsMock Runs:runsMock

// countingStore is a store whose tables of chats and runs keep what they were called with,
// and which counts how often the gate asks it, in transactions too.
type countingStore struct {
	storage.Store
	chats *chatsMock
	runs  *runsMock

	mu    sync.Mutex
	gates []*projectsMock
}

func newCountingStore(store storage.Store) *countingStore {
	chats, runs := store.Tables().Chats, store.Tables().Runs
	return &countingStore{
		Store: store,
		chats: &chatsMock{CreateFunc: chats.Create, ByIDFunc: chats.ByID, ListFunc: chats.List, UpdateFunc: chats.Update, RunsFunc: chats.Runs, DeleteFunc: chats.Delete},
		runs: &runsMock{
			CreateFunc: runs.Create, ByIDFunc: runs.ByID, BusyFunc: runs.Busy, ClaimFunc: runs.Claim, LapsedFunc: runs.Lapsed, CountRunningFunc: runs.CountRunning,
			UpdateFunc: runs.Update, HoldFunc: runs.Hold,
		},
	}
}

func (c *countingStore) Tables() storage.Tables {
	tables := c.counted(c.Store.Tables())
	tables.Chats, tables.Runs = c.chats, c.runs
	return tables
}

func (c *countingStore) InTx(ctx context.Context, do func(context.Context, storage.Tables) error) error {
	return c.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error { return do(ctx, c.counted(tables)) })
}

func (c *countingStore) counted(tables storage.Tables) storage.Tables {
	gate := &projectsMock{SeenByFunc: tables.Projects.SeenBy, ByIDFunc: tables.Projects.ByID, UpdateFunc: tables.Projects.Update}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gates = append(c.gates, gate)
	tables.Projects = gate
	return tables
}

// asked is how often the gate looked a project up.
func (c *countingStore) asked() (count int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, gate := range c.gates {
		count += len(gate.SeenByCalls())
	}
	return count
}

// TestHowOftenAMessageAsksTheGate sends messages of all kinds. Images and references take long to
// gather, so these messages are asked about before that too.
func TestHowOftenAMessageAsksTheGate(t *testing.T) {
	file := []core.Reference{{Type: core.ReferenceFile, Path: "a"}}
	for name, c := range map[string]struct {
		message chat.Message
		images  bool
		want    int
	}{
		"words":                  {chat.Message{Text: "go"}, false, 1},
		"a command":              {chat.Message{Text: "/fix the menu"}, false, 1},
		"another mode and model": {chat.Message{Text: "go", Mode: core.ModeChat, Model: "m"}, false, 1},
		"images":                 {chat.Message{Text: "go"}, true, 2},
		"references":             {chat.Message{Text: "go", References: file}, false, 2},
		"images and references":  {chat.Message{Text: "go", References: file}, true, 2},
	} {
		t.Run(name, func(t *testing.T) {
			r := newGallery(t)
			r.projects.files = map[string]string{"a": "1"}
			store := newCountingStore(r.store)
			r.front = store
			r.service = r.open()
			r.model.Say("Done.")
			message := c.message
			message.ChatID = r.chat.ID
			if c.images {
				message.Attachments = sourcesOf(imageOf(t, 3, 0))
			}
			must(t, r.service.Send(t.Context(), r.member, r.project.ID, message, newRecorder().emit))
			if got := store.asked(); got != c.want {
				t.Errorf("the gate was asked %d times, want %d", got, c.want)
			}
		})
	}
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
