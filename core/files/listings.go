package files

import (
	"slices"
	"strings"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/lru"
	"github.com/atelierhq/atelier/ports/storage"
)

// maxHeldEntries bounds the file entries held in memory for all projects together. With
// its JSON an entry takes about half a kilobyte.
const maxHeldEntries = 100_000

// listings is an LRU cache of listings by project.
type listings struct {
	projects *lru.Cache[core.ID, *Listing]
	// replacing is held while a listing is compared with the one that it replaces.
	replacing sync.Mutex
}

func newListings(limit int64) *listings {
	return &listings{projects: lru.New[core.ID](limit, func(listing *Listing) int64 { return int64(len(listing.Entries)) })}
}

// get returns the listing of a project, of whatever revision, or nil.
func (l *listings) get(project core.ID) *Listing {
	listing, _ := l.projects.Get(project)
	return listing
}

// entry returns the row of a file from the listing of its project, of whatever revision,
// or nil.
func (l *listings) entry(at core.FileAt) *core.FileEntry {
	listing := l.get(at.Project)
	if listing == nil {
		return nil
	}
	i, found := slices.BinarySearchFunc(listing.Entries, at.Path, func(entry core.FileEntry, path core.ProjectPath) int {
		return strings.Compare(entry.Path.String(), path.String())
	})
	if !found {
		return nil
	}
	return &listing.Entries[i]
}

// put replaces a project's listing, unless that has a newer revision.
func (l *listings) put(project core.ID, listing *Listing) {
	l.replacing.Lock()
	defer l.replacing.Unlock()
	if held := l.get(project); held == nil || held.revision <= listing.revision {
		l.projects.Put(project, listing)
	}
}

func (l *listings) drop(project core.ID) { l.projects.Remove(project) }

// patched returns the entries with the delta applied, sorted as they were.
func patched(entries []core.FileEntry, delta storage.FileDelta) []core.FileEntry {
	deleted := setOf(delta.Delete)
	replaced := make(map[core.ProjectPath]bool, len(delta.Put))
	for _, entry := range delta.Put {
		replaced[entry.Path] = true
	}
	out := make([]core.FileEntry, 0, len(entries)+len(delta.Put))
	for _, entry := range entries {
		if !replaced[entry.Path] && !deleted.covers(entry.Path) {
			out = append(out, entry)
		}
	}
	out = append(out, delta.Put...)
	slices.SortFunc(out, byPath)
	return out
}
