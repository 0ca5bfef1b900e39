package backend

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/backend"
)

// dataSet is the data of one place.
type dataSet struct {
	place  port.Place
	config Config
	rate   *rate

	// state is that of the moment, nil before the first schema and after the removal. It is
	// replaced under writing.
	state   atomic.Pointer[state]
	writing sync.Mutex
	// staged is the switch for which the place is closed, nil if it is open.
	staged atomic.Pointer[staged]
	// snapshots are guarded by writing.
	snapshots map[core.ID]*state

	streams streams
}

func newDataSet(place port.Place, config Config) *dataSet {
	perSecond := float64(config.Limits.Requests)
	return &dataSet{
		place: place, config: config, rate: &rate{perSecond: perSecond, tokens: perSecond},
		snapshots: make(map[core.ID]*state),
	}
}

// alone calls work while nothing else writes.
func (d *dataSet) alone(work func() error) error {
	d.writing.Lock()
	defer d.writing.Unlock()
	return work()
}

// change lets work change a copy of the state, and then puts that in force and tells the
// streams. If work fails, nothing has happened.
func (d *dataSet) change(work func(tx *transaction) error) error {
	return d.alone(func() error {
		if d.staged.Load() != nil {
			return errClosed()
		}
		present := d.state.Load()
		if present == nil {
			return errGone()
		}
		tx := &transaction{state: present.clone(), before: present}
		if err := work(tx); err != nil {
			return err
		}
		if tx.state.fileBytes() > max(d.config.Limits.FileBytes, present.fileBytes()) {
			return core.Errorf(core.CodePayloadTooLarge, "the files of this application have reached their limit of %d MiB", d.config.Limits.FileBytes>>20)
		}
		d.state.Store(tx.state)
		d.publish(tx)
		return nil
	})
}

// send hands a mail to the service.
func (d *dataSet) send(ctx context.Context, mail port.Mail) error {
	if d.config.Post == nil {
		return refusal(400, "Mails cannot be sent.")
	}
	err := d.config.Post.Send(ctx, d.place, mail)
	if core.IsCode(err, core.CodeRateLimited) {
		return refusal(429, "This application has sent too many mails. Try again later.")
	}
	return err
}
