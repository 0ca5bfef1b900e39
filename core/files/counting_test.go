package files_test

import "github.com/atelierhq/atelier/ports/storage"

//go:generate go tool moq -out filesmock_test.go -pkg files_test ../../ports/storage Files:filesMock

// countingStore is a store whose table of files keeps what it was called with.
type countingStore struct {
	storage.Store
	files *filesMock
}

func newCountingStore(store storage.Store) *countingStore {
	files := store.Tables().Files
	return &countingStore{store, &filesMock{
		ListFunc: files.List, ByPathFunc: files.ByPath, StateFunc: files.State, SeenByFunc: files.SeenBy,
		ApplyFunc: files.Apply, MarkFunc: files.Mark, UnmarkFunc: files.Unmark,
	}}
}

func (c *countingStore) Tables() storage.Tables {
	tables := c.Store.Tables()
	tables.Files = c.files
	return tables
}

// lookUps is how often something was asked of the table of files.
func (c *countingStore) lookUps() int {
	f := c.files
	return len(f.ListCalls()) + len(f.ByPathCalls()) + len(f.StateCalls()) + len(f.SeenByCalls())
}
