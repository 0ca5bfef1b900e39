package files

import (
	"container/list"
	"slices"
	"strings"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// maxHeldEntries bounds the file entries held in memory for all projects together. With
// its JSON an entry takes about half a kilobyte.
const maxHeldEntries = 100_000

// listings is an LRU (least recently used) cache of listings by project.
type listings struct {
	mu        sync.Mutex
	limit     int
	held      int
	newest    *list.List
	byProject map[core.ID]*list.Element
}

type heldListing struct {
	project core.ID
	listing *Listing
}

func newListings(limit int) *listings {
	return &listings{limit: limit, newest: list.New(), byProject: map[core.ID]*list.Element{}}
}

// get returns the listing of a project, of whatever revision, or nil.
func (l *listings) get(project core.ID) *Listing {
	l.mu.Lock()
	defer l.mu.Unlock()
	element := l.byProject[project]
	if element == nil {
		return nil
	}
	l.newest.MoveToFront(element)
	return element.Value.(heldListing).listing
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

// put replaces a project's listing and evicts the least recently used ones. The newest
// stays, whatever its size.
func (l *listings) put(project core.ID, listing *Listing) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if element := l.byProject[project]; element != nil {
		if element.Value.(heldListing).listing.revision > listing.revision {
			return
		}
		l.remove(element)
	}
	l.byProject[project] = l.newest.PushFront(heldListing{project, listing})
	l.held += len(listing.Entries)
	for l.held > l.limit && l.newest.Len() > 1 {
		l.remove(l.newest.Back())
	}
}

func (l *listings) drop(project core.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if element := l.byProject[project]; element != nil {
		l.remove(element)
	}
}

func (l *listings) remove(element *list.Element) {
	held := l.newest.Remove(element).(heldListing)
	delete(l.byProject, held.project)
	l.held -= len(held.listing.Entries)
}

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
