package publish

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/atelierhq/atelier/core"
)

const (
	// siteAge is how long an answer is cached without asking storage again.
	siteAge = 2 * time.Second
	// maxSites bounds the cached answers; each follows its project.
	maxSites = 256
)

// siteReader reads a site from storage, by the key of a directory.
type siteReader func(ctx context.Context, deps Deps, key string) (Site, error)

// directory is an LRU (least recently used) cache of a siteReader. Each entry follows
// its project on the bus from before it was read, and checks for notices at each
// use. So it needs no goroutine, and a change that was announced in this process is
// never missed.
type directory struct {
	deps Deps
	read siteReader
	life context.Context
	end  context.CancelFunc
	// changes counts what this process changed, for a bus that is slow.
	changes atomic.Int64

	mu      sync.Mutex
	entries map[string]*siteEntry
}

// siteEntry is the entry of one key. Its lock is held while storage is read, so
// that one read serves all waiters (single flight).
type siteEntry struct {
	// usedAt is guarded by the directory's lock.
	usedAt time.Time

	mu      sync.Mutex
	dropped bool
	// site was read at readAt, which is zero if it is invalid; changes is the
	// directory's counter at that time.
	site    Site
	changes int64
	readAt  time.Time
	// notices are those of the followed project; nil if none is followed.
	notices  <-chan *core.Notice
	followed core.ID
	stop     context.CancelFunc
}

func newDirectory(deps Deps, read siteReader) *directory {
	life, end := context.WithCancel(context.Background())
	return &directory{deps: deps, read: read, life: life, end: end, entries: map[string]*siteEntry{}}
}

func (d *directory) close() { d.end() }

// forget makes every entry be read again.
func (d *directory) forget() { d.changes.Add(1) }

// get returns the site of a key. Names without a site are not cached, so nobody can
// fill the directory with them.
func (d *directory) get(ctx context.Context, key string) (Site, error) {
	entry := d.enter(key)
	site, dropped, err := d.ask(ctx, key, entry)
	if dropped {
		return d.get(ctx, key)
	}
	if err != nil {
		d.drop(key, entry)
		return Site{}, err
	}
	d.makeRoom()
	return site, nil
}

// ask returns the cached site of an entry, or reads it. It returns dropped if the
// entry was evicted meanwhile.
func (d *directory) ask(ctx context.Context, key string, entry *siteEntry) (site Site, dropped bool, err error) {
	entry.mu.Lock()
	defer entry.mu.Unlock()
	if entry.dropped {
		return Site{}, true, nil
	}
	changes := d.changes.Load()
	if entry.fresh(changes) {
		return entry.site, false, nil
	}
	entry.readAt = time.Time{}
	now := time.Now()
	if site, err = d.read(ctx, d.deps, key); err != nil {
		return Site{}, false, err
	}
	if entry.notices == nil || site.Project != entry.followed {
		if err := entry.follow(d, site.Project); err != nil {
			return site, false, nil
		}
		// Changes between the first read and the subscription were missed.
		if site, err = d.read(ctx, d.deps, key); err != nil {
			return Site{}, false, err
		}
	}
	if site.Project == entry.followed {
		entry.site, entry.changes, entry.readAt = site, changes, now
	}
	return site, false, nil
}

// enter finds or makes the entry of a key.
func (d *directory) enter(key string) *siteEntry {
	d.mu.Lock()
	defer d.mu.Unlock()
	entry := d.entries[key]
	if entry == nil {
		entry = &siteEntry{}
		d.entries[key] = entry
	}
	entry.usedAt = time.Now()
	return entry
}

// makeRoom evicts the least recently used entry if there are too many.
func (d *directory) makeRoom() {
	d.mu.Lock()
	if len(d.entries) <= maxSites {
		d.mu.Unlock()
		return
	}
	var key string
	var last *siteEntry
	for name, entry := range d.entries {
		if last == nil || entry.usedAt.Before(last.usedAt) {
			key, last = name, entry
		}
	}
	d.mu.Unlock()
	d.drop(key, last)
}

func (d *directory) drop(key string, entry *siteEntry) {
	d.mu.Lock()
	if d.entries[key] == entry {
		delete(d.entries, key)
	}
	d.mu.Unlock()
	entry.mu.Lock()
	defer entry.mu.Unlock()
	entry.dropped = true
	entry.unfollow()
}

// fresh reports whether nothing happened since the entry was read.
func (e *siteEntry) fresh(changes int64) bool {
	if e.readAt.IsZero() || e.changes != changes || time.Since(e.readAt) >= siteAge {
		return false
	}
	for {
		select {
		case notice, open := <-e.notices:
			if !open {
				e.unfollow()
				return false
			}
			if notice.Kind == core.NoticeProject || notice.Kind == core.NoticeLagged {
				return false
			}
		default:
			return true
		}
	}
}

// follow subscribes to a project instead of any other.
func (e *siteEntry) follow(d *directory, project core.ID) error {
	e.unfollow()
	life, stop := context.WithCancel(d.life)
	notices, err := d.deps.Bus.Follow(life, project)
	if err != nil {
		stop()
		return err
	}
	e.notices, e.followed, e.stop = notices, project, stop
	return nil
}

func (e *siteEntry) unfollow() {
	if e.stop != nil {
		e.stop()
	}
	e.notices, e.followed, e.stop = nil, "", nil
}
