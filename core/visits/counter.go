package visits

import (
	"context"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/ctxsync"
	"github.com/atelierhq/atelier/ports/storage"
)

const (
	// writeEvery is how often counts are written, pruneEvery how often old ones are removed.
	writeEvery = 5 * time.Second
	pruneEvery = 6 * time.Hour
	// retention is how many days counts are kept.
	retention = 400
	// maxNames is how many pages, and how many hosts, of a site are counted apart on a day.
	maxNames = 200
	// maxNameBytes bounds the path of a page.
	maxNameBytes = 200
	// maxPending bounds the counts in memory, and maxPendingOf the names among them that one site has.
	maxPending   = 50_000
	maxPendingOf = 1000
	// closeLimit bounds the last write.
	closeLimit = 5 * time.Second
)

// Deps has the dependencies of a Counter.
type Deps struct {
	Store storage.Store
	Gate  *access.Gate
	Now   func() time.Time
	Log   *slog.Logger
}

// key is the subject of a count.
type key struct {
	project core.ID
	day     int64
	kind    core.SiteCountKind
	name    string
}

// Counter counts the views of pages. It may be used by many goroutines.
type Counter struct {
	deps Deps

	mu      sync.Mutex
	pending map[key]int64
	// names is how many of the pending counts of a site have a name.
	names map[core.ID]int
	// writing is held while counts are written, so that two writes of this process do not both
	// decide which names there is room for.
	writing sync.Mutex

	stopped context.Context
	stop    context.CancelFunc
	tasks   sync.WaitGroup
}

// NewCounter returns a counter. Start lets it write.
func NewCounter(deps Deps) *Counter {
	stopped, stop := context.WithCancel(context.Background())
	return &Counter{deps: deps, pending: map[key]int64{}, names: map[core.ID]int{}, stopped: stopped, stop: stop}
}

// Start starts the worker that writes the counts and removes old ones.
func (c *Counter) Start() { c.tasks.Go(c.run) }

func (c *Counter) run() {
	write, prune := time.NewTicker(writeEvery), time.NewTicker(pruneEvery)
	defer write.Stop()
	defer prune.Stop()
	c.prune()
	for {
		select {
		case <-c.stopped.Done():
			return
		case <-write.C:
			c.write(c.stopped)
		case <-prune.C:
			c.prune()
		}
	}
}

func (c *Counter) prune() {
	err := c.deps.Store.Tables().SiteCounts.Prune(c.stopped, core.SiteDay(core.At(c.deps.Now()))-retention)
	if err != nil && c.stopped.Err() == nil {
		c.deps.Log.Warn("could not remove old counts of visits; it is tried again", "error", err)
	}
}

// Close stops the worker and writes what was counted, until ctx ends.
func (c *Counter) Close(ctx context.Context) error {
	c.stop()
	if err := ctxsync.Wait(ctx, &c.tasks); err != nil {
		return err
	}
	last, cancel := context.WithTimeout(ctx, closeLimit)
	defer cancel()
	c.write(last)
	return nil
}

// Count counts a view of a page. from is the host that the visitor comes from: "" if it is unknown,
// and own if it is the site's. Visitors send what they like, so a text that is no host counts as
// unknown.
func (c *Counter) Count(project core.ID, path, from string, own bool) {
	day := core.SiteDay(core.At(c.deps.Now()))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(key{project, day, core.CountPages, nameOf(path)}, 1)
	if own {
		return
	}
	c.add(key{project, day, core.CountVisits, ""}, 1)
	if host := strings.ToLower(strings.TrimSuffix(from, ".")); isHost(host) {
		c.add(key{project, day, core.CountReferrers, nameOf(host)}, 1)
	}
}

// add adds to a count: to the one without a name if there are too many, or too many of its site.
// c.mu is held.
func (c *Counter) add(at key, count int64) {
	if _, known := c.pending[at]; !known && at.name != "" {
		if len(c.pending) >= maxPending || c.names[at.project] >= maxPendingOf {
			at.name = ""
		} else {
			c.names[at.project]++
		}
	}
	c.pending[at] += count
}

// isHost reports whether a text in lower case is a name of the DNS or an IP address.
func isHost(text string) bool {
	if address, err := netip.ParseAddr(text); err == nil {
		return address.Zone() == ""
	}
	isLabel := func(label string) bool {
		return label != "" && len(label) <= 63 && label[0] != '-' && label[len(label)-1] != '-' && strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") == ""
	}
	for label := range strings.SplitSeq(text, ".") {
		if !isLabel(label) {
			return false
		}
	}
	return len(text) <= 253
}

// nameOf returns a name that can be stored.
func nameOf(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", "")
	if len(text) <= maxNameBytes {
		return text
	}
	cut := maxNameBytes
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut]
}

// write stores what was counted. What could not be stored is tried again at the next write.
func (c *Counter) write(ctx context.Context) {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.mu.Lock()
	counted := c.pending
	c.pending, c.names = map[key]int64{}, map[core.ID]int{}
	c.mu.Unlock()
	projects := map[core.ID]map[key]int64{}
	for at, count := range counted {
		if projects[at.project] == nil {
			projects[at.project] = map[key]int64{}
		}
		projects[at.project][at] = count
	}
	for project, counts := range projects {
		err := c.store(ctx, project, counts)
		if err == nil || core.IsCode(err, core.CodeNotFound) { // the project is gone
			continue
		}
		c.keep(counts)
		if ctx.Err() == nil {
			c.deps.Log.Warn("could not write the counts of visits; it is tried again", "project", project, "error", err)
		}
	}
}

// keep puts counts back that could not be written.
func (c *Counter) keep(counts map[key]int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at, count := range counts {
		c.add(at, count)
	}
}

// store adds the counts of one project to those in the database.
func (c *Counter) store(ctx context.Context, project core.ID, counts map[key]int64) error {
	return c.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		first := core.SiteDay(core.At(c.deps.Now()))
		for at := range counts {
			first = min(first, at.day)
		}
		stored, err := tables.SiteCounts.List(ctx, project, first)
		if err != nil {
			return err
		}
		return tables.SiteCounts.Add(ctx, withinBounds(stored, counts))
	})
}

// withinBounds returns the counts to add. Names beyond maxNames are counted together.
func withinBounds(stored []core.SiteCount, counts map[key]int64) []core.SiteCount {
	type list struct {
		day  int64
		kind core.SiteCountKind
	}
	known, names := map[key]bool{}, map[list]int{}
	for _, row := range stored {
		known[key{row.ProjectID, row.Day, row.Kind, row.Name}] = true
		names[list{row.Day, row.Kind}]++
	}
	sums := map[key]int64{}
	for at, count := range counts {
		of := list{at.day, at.kind}
		switch {
		case known[at] || at.name == "":
		case names[of] < maxNames:
			names[of]++
		default:
			at.name = ""
		}
		sums[at] += count
	}
	added := make([]core.SiteCount, 0, len(sums))
	for at, count := range sums {
		added = append(added, core.SiteCount{ProjectID: at.project, Day: at.day, Kind: at.kind, Name: at.name, Count: count})
	}
	return added
}
