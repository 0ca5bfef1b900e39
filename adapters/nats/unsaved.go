package nats

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"github.com/atelierhq/atelier/adapters/internal/keepers"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/unsaved"
)

// Unsaved knows who keeps edits of a project in any process that is connected to the
// server. Whoever wants them saved asks on the project's subject, to which those
// processes subscribe: the server itself answers at once when there is none. Only the
// first answer to a question is certain to be heard, so each of the processes knows
// all of them, and the answer names them; then each is asked to save on a subject of
// its own. They enter one at a time (door.go), so that none is overlooked.
//
// A keeper whose process has lost its connection is not found while that lasts. So it
// saves when the connection is lost, and its rooms save by themselves later.
type Unsaved struct {
	conn  *Conn
	self  string
	local *keepers.Set
	// leases tells silent keepers from those that are gone.
	leases leases

	mu    sync.Mutex
	posts map[core.ID]*post
}

var _ unsaved.Registry = (*Unsaved)(nil)

// post is this process's place among those that keep edits of a project, for as long
// as somebody here does.
type post struct {
	users int
	// entered is closed when the others know of this process, or err says why not.
	entered chan struct{}
	err     error
	sub     *natsgo.Subscription
	// others are the processes that keep edits besides this one, as far as was to be
	// learned over one connection.
	others     map[string]struct{}
	connection uint64
}

func newUnsaved(conn *Conn, isHeld func(context.Context, core.ID) (bool, error)) *Unsaved {
	return &Unsaved{
		conn: conn, self: string(core.NewID()), local: keepers.NewSet(), posts: make(map[core.ID]*post),
		leases: leases{isHeld: isHeld, silent: make(map[core.ID]bool)},
	}
}

// open subscribes to what this process is asked for.
func (u *Unsaved) open() error {
	_, err := u.conn.nc.Subscribe(u.keeper(u.self), func(message *natsgo.Msg) { go u.answerOrder(message) })
	return err
}

// keeper is the subject on which one process is asked to save.
func (u *Unsaved) keeper(process string) string { return u.conn.prefix + ".keeper." + process }

// Keep implements unsaved.Registry.
func (u *Unsaved) Keep(ctx context.Context, project core.ID, save func(context.Context) error) (withdraw func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if _, err := core.ParseID(string(project)); err != nil {
		return nil, err
	}
	// Whoever hears of this process may ask it at once.
	remove := u.local.Add(project, save)
	place, err := u.take(ctx, project)
	if err != nil {
		remove()
		return nil, err
	}
	return sync.OnceFunc(func() {
		u.give(project, place)
		remove()
	}), nil
}

// take returns this process's post at the project, with one user more, when the
// others know of it.
func (u *Unsaved) take(ctx context.Context, project core.ID) (*post, error) {
	u.mu.Lock()
	place := u.posts[project]
	if place == nil {
		place = &post{entered: make(chan struct{}), others: make(map[string]struct{})}
		u.posts[project] = place
		// Others may wait for the same post longer than this caller does.
		go u.enter(project, place)
	}
	place.users++
	u.mu.Unlock()
	var err error
	select {
	case <-place.entered:
		err = place.err
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		u.give(project, place)
		return nil, err
	}
	return place, nil
}

// enter makes a post known to the others.
func (u *Unsaved) enter(project core.ID, place *post) {
	ctx, cancel := context.WithTimeout(context.Background(), unsaved.Bound)
	defer cancel()
	err := u.announce(ctx, project, place)
	u.mu.Lock()
	defer u.mu.Unlock()
	if err != nil {
		place.err = core.Wrap(core.CodeUnavailable, err, "readers in other processes cannot be told of edits")
		if u.posts[project] == place {
			delete(u.posts, project)
		}
	}
	if place.sub != nil && u.posts[project] != place {
		leave(place.sub)
	}
	close(place.entered)
}

// give returns a post with one user less. The last one leaves it.
func (u *Unsaved) give(project core.ID, place *post) {
	u.mu.Lock()
	defer u.mu.Unlock()
	place.users--
	if place.users > 0 || u.posts[project] != place {
		return
	}
	delete(u.posts, project)
	if place.sub == nil {
		return // It is not in yet: enter finds it given up.
	}
	leave(place.sub)
	// Under the lock, so that a post that is taken again is announced after this.
	_ = u.tell(project, question{Version: questionVersion, Left: []string{u.self}})
}

// Save implements unsaved.Registry.
func (u *Unsaved) Save(ctx context.Context, project core.ID) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	here := make(chan error, 1)
	go func() { here <- u.local.Save(ctx, project) }()
	err := u.saveHeld(ctx, project)
	if local := <-here; local != nil {
		return local
	}
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	return core.Wrap(core.CodeUnavailable, err, "edits of the project in other processes could not be saved")
}

// saveHeld is saveElsewhere within the bound, without waiting for those who are silent and
// have lost their lease.
func (u *Unsaved) saveHeld(ctx context.Context, project core.ID) error {
	if u.leases.isSilent(project) && u.leases.isLost(ctx, project) {
		u.listen(project)
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, unsaved.Bound)
	defer cancel()
	err := u.saveElsewhere(bounded, project)
	silent := isSilence(bounded, err)
	u.leases.note(project, silent)
	if silent && u.leases.isLost(ctx, project) {
		return nil
	}
	return err
}

// listen finds out, behind the callers, whether a silent project has a keeper that
// answers, or none at all.
func (u *Unsaved) listen(project core.ID) {
	if !u.leases.begin(project) {
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), unsaved.Bound)
		defer cancel()
		_, err := u.ask(ctx, project)
		u.leases.end(project, err == nil)
	}()
}

// saveElsewhere has every other process that keeps edits of the project save them.
func (u *Unsaved) saveElsewhere(ctx context.Context, project core.ID) error {
	processes, err := u.ask(ctx, project)
	if err != nil {
		return err
	}
	processes = slices.DeleteFunc(processes, func(process string) bool { return process == u.self })
	saved := make(chan error, len(processes))
	for _, process := range processes {
		go func() {
			_, err := u.order(ctx, process, project)
			saved <- err
		}()
	}
	for range processes {
		if err := <-saved; err != nil {
			return err
		}
	}
	return nil
}

// interrupted saves what others cannot ask for any more.
func (u *Unsaved) interrupted() {
	for _, project := range u.local.Projects() {
		if err := u.local.Save(context.Background(), project); err != nil {
			u.conn.log.Warn("edits were not saved when the NATS server went away", "project", project, "error", err)
		}
	}
}

// resumed enters again wherever this process keeps edits: others may have come while
// it could not be told. Until then it is unsure, and readers ask again.
func (u *Unsaved) resumed() {
	for project, place := range u.entered() {
		for u.conn.connected() {
			ctx, cancel := context.WithTimeout(context.Background(), unsaved.Bound)
			err := u.announce(ctx, project, place)
			cancel()
			if err == nil || errors.Is(err, errLeft) {
				break
			}
			u.conn.log.Warn("readers in other processes do not know of edits here", "project", project, "error", err)
			time.Sleep(retryEvery)
		}
	}
}

// entered returns the posts that are known to the others.
func (u *Unsaved) entered() map[core.ID]*post {
	u.mu.Lock()
	defer u.mu.Unlock()
	known := make(map[core.ID]*post)
	for project, place := range u.posts {
		if place.sub != nil {
			known[project] = place
		}
	}
	return known
}
