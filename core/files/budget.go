package files

import (
	"context"
	"sync"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/ports/worktree"
)

// MaxProjectBytes is how much a project may take on the disk, its history included, in bytes
// (the setting MAX_PROJECT_BYTES); 0 is no bound.
type MaxProjectBytes int64

const (
	// measuredFor is how long a measurement is valid, with later writes added.
	measuredFor = 10 * time.Minute
	// maxMeasured bounds how many projects' sizes are kept in memory.
	maxMeasured = 10_000
)

// budget estimates how much disk projects take. It adds up writes and never subtracts; a
// project is measured again once the sum reaches the bound. So a write asks neither the disk
// nor the database as long as there is room.
//
// How much a project may take comes with the measurement: a quota that an admin lowers holds for
// each project within measuredFor, one that is raised at once.
type budget struct {
	deps Deps
	now  func() time.Time

	mu    sync.Mutex
	known map[core.ID]measurement
}

type measurement struct {
	bytes int64
	// most is the project's limit.
	most  int64
	until time.Time
}

func newBudget(deps Deps) *budget {
	return &budget{deps: deps, now: deps.Now, known: map[core.ID]measurement{}}
}

// spend adds a write to the estimate, and reports whether the sum is within the bound.
func (b *budget) spend(project core.ID, bytes int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	found, known := b.known[project]
	if !known || b.now().After(found.until) || found.bytes+bytes > found.most {
		return false
	}
	found.bytes += bytes
	b.known[project] = found
	return true
}

func (b *budget) set(project core.ID, bytes, most int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.known) >= maxMeasured {
		clear(b.known)
	}
	b.known[project] = measurement{bytes, most, b.now().Add(measuredFor)}
}

// forget makes the next write measure the project.
func (b *budget) forget(project core.ID) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.known, project)
}

// admit returns core.CodePayloadTooLarge for changes of a project that exceed its room. A write
// counts twice: for the tree and for the repository.
func (b *budget) admit(ctx context.Context, project core.ID, tree worktree.Tree, changes []core.FileChange) error {
	added := int64(0)
	for _, change := range changes {
		added += int64(len(change.Content))
	}
	if added == 0 || b.spend(project, 2*added) {
		return nil
	}
	most, err := b.deps.mostBytes(ctx, project)
	if err != nil {
		return err
	}
	if most == unbounded {
		b.set(project, 0, most)
		return nil
	}
	size, err := tree.Size(ctx)
	if err != nil {
		return err
	}
	if size+added > most {
		b.forget(project)
		return tooFull(size, added, most)
	}
	b.set(project, size+2*added, most)
	return nil
}

// mostBytes returns what a project may take: the smaller of MaxBytes and the quota of its
// workspace, unbounded without both. Only MaxBytes holds for one that has no record yet.
func (d Deps) mostBytes(ctx context.Context, project core.ID) (int64, error) {
	most := int64(d.MaxBytes)
	tables := d.Store.Tables()
	found, err := tables.Projects.ByID(ctx, project)
	if err == nil {
		var limits core.WorkspaceQuotas
		limits, err = access.QuotasIn(ctx, tables, d.Quotas, found.WorkspaceID)
		if limits.Bytes > 0 && (most == 0 || limits.Bytes < most) {
			most = limits.Bytes
		}
	}
	if err != nil && !core.IsCode(err, core.CodeNotFound) {
		return 0, err
	}
	if most == 0 {
		return unbounded, nil
	}
	return most, nil
}

// tooFull is the error for a project without room.
func tooFull(size, added, most int64) error {
	return core.Errorf(core.CodePayloadTooLarge,
		"the project takes %d bytes with its history, and %d more would exceed its %d (bytesPerProject): delete files, export the project and import it again, which drops its history, or ask an admin of this service to raise the quota", size, added, most)
}

// Headroom bounds what versions from elsewhere may add to a project.
type Headroom struct {
	// Bytes is how much the project may still grow. TreeBytes is how large all files of a
	// version may be together. Both are 0 if there is no room, and math.MaxInt64 without a
	// bound.
	Bytes, TreeBytes int64
}

// Headroom measures a project.
func (a Arrivals) Headroom(ctx context.Context, project core.ID) (Headroom, error) {
	most, err := a.projects.deps.mostBytes(ctx, project)
	if err != nil {
		return Headroom{}, err
	}
	if most == unbounded {
		return Headroom{Bytes: unbounded, TreeBytes: unbounded}, nil
	}
	tree, err := a.projects.tree(ctx, project)
	if err != nil {
		return Headroom{}, err
	}
	size, err := tree.Size(ctx)
	if err != nil {
		return Headroom{}, err
	}
	rows, err := a.projects.cache.rows(ctx, project)
	if err != nil {
		return Headroom{}, err
	}
	headroom := Headroom{Bytes: max(0, most-size), TreeBytes: most - size}
	for _, row := range rows {
		headroom.TreeBytes += row.Size // The version's files replace these.
	}
	headroom.TreeBytes = max(0, headroom.TreeBytes)
	return headroom, nil
}

// InitialHeadroom returns the headroom of a project that does not exist yet.
func (l Lifecycle) InitialHeadroom() Headroom {
	if most := int64(l.projects.deps.MaxBytes); most > 0 {
		return Headroom{Bytes: most, TreeBytes: most}
	}
	return Headroom{Bytes: unbounded, TreeBytes: unbounded}
}

const unbounded = 1<<63 - 1
