package backend

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/atelierhq/atelier/adapters/internal/tokenbucket"
	"github.com/atelierhq/atelier/adapters/memory/backend/records"
	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/backend"
)

// dataSet is the data of one place.
type dataSet struct {
	place  port.Place
	config Config
	rate   *tokenbucket.Bucket

	// state is that of the moment, nil before the first schema and after the removal. It is
	// replaced under writing.
	state   atomic.Pointer[records.State]
	writing sync.Mutex
	// staged is the switch for which the place is closed, nil if it is open.
	staged atomic.Pointer[closedPlace]
	// snapshots are guarded by writing.
	snapshots map[core.ID]*records.State

	streams streams
}

// newDataSet returns the data set of a place that was never given a schema.
func newDataSet(place port.Place, config Config) *dataSet {
	return &dataSet{
		place: place, config: config, rate: tokenbucket.New(config.Limits.Requests),
		snapshots: make(map[core.ID]*records.State),
	}
}

// present returns the state of the moment. A place without one has code core.CodeNotFound.
func (d *dataSet) present() (*records.State, error) {
	if state := d.state.Load(); state != nil {
		return state, nil
	}
	return nil, core.NotFound("backend")
}

// alone calls work while nothing else writes.
func (d *dataSet) alone(work func() error) error {
	d.writing.Lock()
	defer d.writing.Unlock()
	return work()
}

// change lets work change a copy of the state, and then puts that in force and tells the
// streams. If work fails, nothing has happened.
func (d *dataSet) change(work func(tx *records.Transaction) error) error {
	return d.alone(func() error {
		if d.staged.Load() != nil {
			return errClosed()
		}
		present, err := d.present()
		if err != nil {
			return err
		}
		tx := records.Begin(present)
		if err := work(tx); err != nil {
			return err
		}
		if tx.FileBytes() > max(d.config.Limits.FileBytes, present.FileBytes()) {
			return core.Errorf(core.CodePayloadTooLarge, "the files of this application have reached their limit of %d MiB", d.config.Limits.FileBytes>>20)
		}
		d.state.Store(tx.State)
		d.publish(tx)
		return nil
	})
}

// mail sends an end user a link or a code, after a sentence that says what to do with it.
func (d *dataSet) mail(to, subject, purpose, code string) error {
	text := fmt.Sprintf("Hello,\n\n%s:\n\n%s\n\nIf you did not ask for this, ignore the mail.\n", purpose, code)
	shown := code
	if strings.HasPrefix(code, port.AddressPlaceholder) {
		shown = `<a href="` + code + `">` + subject + `</a>`
	}
	html := fmt.Sprintf("<p>Hello,</p><p>%s: %s</p><p>If you did not ask for this, ignore the mail.</p>", purpose, shown)
	if d.config.Post == nil {
		return refusal(http.StatusBadRequest, "Mails cannot be sent.")
	}
	err := d.config.Post.Send(context.Background(), d.place, port.Mail{To: to, Subject: subject, Text: text, HTML: html})
	if core.IsCode(err, core.CodeRateLimited) {
		return refusal(http.StatusTooManyRequests, "This application has sent too many mails. Try again later.")
	}
	return err
}
