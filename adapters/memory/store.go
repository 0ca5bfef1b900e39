package memory

import "github.com/atelierhq/atelier/adapters/memory/storage"

// Store is a storage.Store that lives as long as the process.
type Store = storage.Store

// NewStore returns an empty store. It may be used by many goroutines.
func NewStore() *Store { return storage.New() }
