package nats

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"github.com/atelierhq/atelier/core"
)

// errLeft says that nobody here keeps edits of the project any more.
var errLeft = errors.New("the post was given up")

// announce makes this process one of those that keep edits of a project: it learns who
// the others are, and they learn of it. What was learned over a connection that was
// lost since does not count.
func (u *Unsaved) announce(ctx context.Context, project core.ID, place *post) error {
	for {
		if !u.conn.connected() {
			return natsgo.ErrDisconnected
		}
		connection := u.conn.number()
		if err := u.passDoor(ctx, project, place, connection); err != nil {
			return err
		}
		if u.conn.number() == connection {
			return nil
		}
	}
}

// passDoor goes through the door: a process that enters takes the list of one that is in,
// so two must not enter at once.
func (u *Unsaved) passDoor(ctx context.Context, project core.ID, place *post, connection uint64) error {
	out, err := u.waitAtDoor(ctx, project)
	if err != nil {
		return err
	}
	defer out()
	others, err := u.askAll(ctx, project)
	if err != nil {
		return err
	}
	alive, gone, err := u.sort(ctx, others)
	if err != nil {
		return err
	}
	if err := u.occupy(project, place, alive, gone, connection); err != nil {
		return err
	}
	if err := u.join(project, place, gone); err != nil {
		return err
	}
	// Whoever asks from now on is heard by this process, and the others have heard of
	// it before.
	return u.conn.flush(ctx)
}

// join tells the others of this process, and who is gone.
func (u *Unsaved) join(project core.ID, place *post, gone []string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.posts[project] != place {
		return errLeft
	}
	return u.tell(project, question{Version: questionVersion, Joins: u.self, Left: gone})
}

// askAll is ask for whoever enters. When a server was away, all are unsure, and one must
// be the first who is not: it takes what they know together.
func (u *Unsaved) askAll(ctx context.Context, project core.ID) ([]string, error) {
	bounded, cancel := context.WithTimeout(ctx, unsureTime)
	defer cancel()
	others, err := u.ask(bounded, project)
	if len(others) > 0 && ctx.Err() == nil {
		return others, nil
	}
	if err == nil || ctx.Err() != nil || bounded.Err() == nil {
		return others, err
	}
	_, err = u.leases.meanwhile(ctx, func(ctx context.Context) (err error) {
		others, err = u.ask(ctx, project) // Nobody answered yet.
		return err
	})
	return others, err
}

// unsureTime is how long whoever enters waits for one who is sure.
const unsureTime = 200 * time.Millisecond

// occupy subscribes to the project's subject with the others' names.
func (u *Unsaved) occupy(project core.ID, place *post, alive, gone []string, connection uint64) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.posts[project] != place {
		return errLeft
	}
	for _, other := range alive {
		place.others[other] = struct{}{}
	}
	for _, other := range gone {
		delete(place.others, other)
	}
	place.connection = connection
	if place.sub != nil {
		return nil
	}
	subject, err := u.conn.subject(posts, project)
	if err != nil {
		return err
	}
	place.sub, err = u.conn.nc.Subscribe(subject, func(message *natsgo.Msg) { u.answerQuestion(place, message) })
	return err
}

// sort tells the processes that are alive from those that are gone, perhaps without
// having been able to say so. It leaves this process out.
func (u *Unsaved) sort(ctx context.Context, processes []string) (alive, gone []string, err error) {
	for _, process := range processes {
		if process == u.self {
			continue
		}
		var here bool
		silent, err := u.leases.meanwhile(ctx, func(ctx context.Context) (err error) {
			here, err = u.order(ctx, process, "")
			return err
		})
		switch {
		case err != nil:
			return nil, nil, err
		case here && !silent:
			alive = append(alive, process)
		default:
			gone = append(gone, process)
		}
	}
	return alive, gone, nil
}

// waitAtDoor waits until this process alone is in the project's door. Whoever wants to
// enter subscribes to the door's subject and then asks there who else does. Of two,
// the one that asks later is heard by the other, so never do both find nobody; whoever
// finds somebody steps back and tries again a little later.
func (u *Unsaved) waitAtDoor(ctx context.Context, project core.ID) (out func(), err error) {
	subject, err := u.conn.subject(doors, project)
	if err != nil {
		return nil, err
	}
	for pause := time.Millisecond; ; pause = min(2*pause, maxDoorPause) {
		out, err := u.stepIn(ctx, subject)
		if out != nil || err != nil {
			return out, err
		}
		select {
		case <-time.After(pause/2 + rand.N(pause)):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// maxDoorPause is about the longest pause between two attempts at a door.
const maxDoorPause = 50 * time.Millisecond

// stepIn tries once to be alone in a door. out is nil when somebody else is there.
func (u *Unsaved) stepIn(ctx context.Context, subject string) (out func(), err error) {
	sub, err := u.conn.nc.Subscribe(subject, func(message *natsgo.Msg) { _ = message.Respond(nil) })
	if err != nil {
		return nil, err
	}
	if err := u.conn.flush(ctx); err != nil {
		leave(sub)
		return nil, err
	}
	stopped, err := u.leases.meanwhile(ctx, func(ctx context.Context) error {
		_, err := u.conn.nc.RequestWithContext(ctx, subject, nil)
		return err
	})
	if stopped || errors.Is(err, natsgo.ErrNoResponders) {
		return func() { leave(sub) }, nil
	}
	leave(sub)
	return nil, err
}

// leave ends a subscription. What is on its way already still has an answer. The
// library may have to wait for the server, so nobody waits for the library.
func leave(sub *natsgo.Subscription) { go func() { _ = sub.Drain() }() }
