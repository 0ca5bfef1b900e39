package pocketbase

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Stage implements backend.Switches. It makes the snapshot before the note, and the note
// before it changes the schema. So after a crash, Settle can go either way.
func (e *Engine) Stage(ctx context.Context, place backend.Place, schema backend.Schema, change backend.Switch) error {
	set, done, err := e.places.use(place)
	if err != nil {
		return err
	}
	defer done()
	if err := checkStatements(schema); err != nil {
		return err
	}
	note := switchNote{Switch: change, Fresh: core.IsCode(set.dir.exists(), core.CodeNotFound)}
	if note.Fresh {
		if err := set.create(); err != nil {
			return core.Wrap(core.CodeUnavailable, err, "the backend could not be created")
		}
	}
	to, err := set.dir.snapshot(change.Snapshot)
	if err != nil {
		return err
	}
	return set.alone(func(app *application) error {
		if !note.Fresh {
			if err := app.copyTo(ctx, set.dir, to); err != nil {
				return err
			}
		}
		if err := set.dir.writeSwitch(note); err != nil {
			return faultOf(err)
		}
		if err := app.apply(schema, nil); err != nil {
			return errors.Join(err, set.undo(note))
		}
		if err := app.ship(); err != nil {
			return errors.Join(notKept(err), set.undo(note))
		}
		set.cut()
		return nil
	})
}

// undo opens the place again after a schema was rejected.
func (s *dataSet) undo(note switchNote) error {
	if err := s.dir.removeSwitch(); err != nil {
		return err
	}
	if !note.Fresh {
		return nil
	}
	return errors.Join(s.stop(), s.dir.remove())
}

// Staged implements backend.Switches.
func (e *Engine) Staged(_ context.Context, place backend.Place) (backend.Switch, error) {
	set, done, err := e.places.use(place)
	if err != nil {
		return backend.Switch{}, err
	}
	defer done()
	set.gate.RLock()
	defer set.gate.RUnlock()
	note, err := set.dir.readSwitch()
	if err != nil || note == nil {
		return backend.Switch{}, err
	}
	return note.Switch, nil
}

// Settle implements backend.Switches. Every step can be repeated after a crash.
func (e *Engine) Settle(_ context.Context, place backend.Place, keep bool) error {
	set, done, err := e.places.use(place)
	if err != nil {
		return err
	}
	defer done()
	return set.whileClosed(func() error {
		note, err := set.dir.readSwitch()
		if err != nil || note == nil {
			return err
		}
		if keep {
			return set.dir.removeSwitch()
		}
		if note.Fresh {
			return set.dir.remove()
		}
		from, err := set.dir.snapshot(note.Snapshot)
		if err != nil {
			return err
		}
		if err := set.dir.replaceBy(from); err != nil {
			return err
		}
		return set.dir.removeSwitch()
	})
}

// reopenSignal tells those who wait that a switch may have ended.
type reopenSignal struct {
	mu   sync.Mutex
	next chan struct{}
}

func newReopening() *reopenSignal { return &reopenSignal{next: make(chan struct{})} }

// wait returns what the next wake closes.
func (r *reopenSignal) wait() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.next
}

func (r *reopenSignal) wake() {
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.next)
	r.next = make(chan struct{})
}

// onceOpen calls work as shared does, and waits for the end of a switch.
func onceOpen(ctx context.Context, s *dataSet, work func(app *application) error) error {
	err := s.shared(work)
	if !errors.Is(err, errSwitching) {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, backend.SwitchPatience)
	defer cancel()
	for {
		reopened := s.reopening.wait()
		if err = s.shared(work); !errors.Is(err, errSwitching) {
			return err
		}
		select {
		case <-reopened:
		case <-ctx.Done():
			return err
		}
	}
}

// switchNote is the content of the file that closes a place: a write-ahead note.
type switchNote struct {
	backend.Switch
	// Fresh is true if there was no data before.
	Fresh bool
}

func (d directory) switchFile() string { return filepath.Join(d.root, "switch.json") }

// readSwitch returns the note that closes the place, or nil if it is open.
func (d directory) readSwitch() (*switchNote, error) {
	text, err := os.ReadFile(d.switchFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, faultOf(err)
	}
	note := new(switchNote)
	if err := json.Unmarshal(text, note); err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the note of a switch is damaged")
	}
	return note, nil
}

// writeSwitch closes the place.
func (d directory) writeSwitch(note switchNote) error {
	text, err := json.Marshal(note)
	if err != nil {
		return err
	}
	fresh := d.switchFile() + ".new"
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := durable.WriteFile(fresh, text, 0o600); err != nil {
		return err
	}
	return errors.Join(os.Rename(fresh, d.switchFile()), durable.SyncDir(d.root))
}

// removeSwitch opens the place.
func (d directory) removeSwitch() error {
	return faultOf(errors.Join(os.Remove(d.switchFile()), durable.SyncDir(d.root)))
}
