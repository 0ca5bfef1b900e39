package files_test

import (
	"context"

	"github.com/atelierhq/atelier/ports/storage"
)

//go:generate go tool moq -out storagemock_test.go -pkg files_test ../../ports/storage Files:filesMock Projects:projectsMock Users:usersMock

// countingStore is a store whose tables of files, projects and users record their calls.
// A database answers each call in one round trip.
type countingStore struct {
	storage.Store
	files    *filesMock
	projects *projectsMock
	users    *usersMock
	inTx     int
}

func newCountingStore(store storage.Store) *countingStore {
	tables := store.Tables()
	files, projects, users := tables.Files, tables.Projects, tables.Users
	return &countingStore{
		Store: store,
		files: &filesMock{
			ListFunc: files.List, ByPathFunc: files.ByPath, StateFunc: files.State, SeenByFunc: files.SeenBy,
			ApplyFunc: files.Apply, MarkFunc: files.Mark, UnmarkFunc: files.Unmark,
		},
		projects: &projectsMock{ByIDFunc: projects.ByID, SeenByFunc: projects.SeenBy},
		users:    &usersMock{ByIDFunc: users.ByID, OnProjectFunc: users.OnProject},
	}
}

func (c *countingStore) Tables() storage.Tables {
	tables := c.Store.Tables()
	tables.Files, tables.Projects, tables.Users = c.files, c.projects, c.users
	return tables
}

func (c *countingStore) InTx(ctx context.Context, do func(context.Context, storage.Tables) error) error {
	c.inTx++
	return c.Store.InTx(ctx, do)
}

// lookUps is the number of queries to the table of files.
func (c *countingStore) lookUps() int {
	f := c.files
	return len(f.ListCalls()) + len(f.ByPathCalls()) + len(f.StateCalls()) + len(f.SeenByCalls())
}

// trips is the number of round trips to the database.
func (c *countingStore) trips() int {
	f := c.files
	return c.inTx + c.lookUps() + len(f.ApplyCalls()) + len(f.MarkCalls()) + len(f.UnmarkCalls()) +
		len(c.projects.ByIDCalls()) + len(c.projects.SeenByCalls()) + len(c.users.ByIDCalls()) + len(c.users.OnProjectCalls())
}
