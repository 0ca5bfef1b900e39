package pocketbase

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

var _ backend.Switches = (*Engine)(nil)

// staged is the content of the file that closes a place: a write-ahead note.
type staged struct {
	backend.Switch
	// Fresh says that there was no data before.
	Fresh bool
}

func (s *dataSet) switchFile() string { return filepath.Join(s.dir, "switch.json") }

// readSwitch returns the note that closes the place, nil if it is open.
func (s *dataSet) readSwitch() (*staged, error) {
	text, err := os.ReadFile(s.switchFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, faultOf(err)
	}
	note := new(staged)
	if err := json.Unmarshal(text, note); err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the note of a switch is damaged")
	}
	return note, nil
}

// writeSwitch closes the place.
func (s *dataSet) writeSwitch(note staged) error {
	text, err := json.Marshal(note)
	if err != nil {
		return err
	}
	fresh := s.switchFile() + ".new"
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := durable.WriteFile(fresh, text, 0o600); err != nil {
		return err
	}
	return errors.Join(os.Rename(fresh, s.switchFile()), durable.SyncDir(s.dir))
}

func (s *dataSet) removeSwitch() error {
	return faultOf(errors.Join(os.Remove(s.switchFile()), durable.SyncDir(s.dir)))
}

// Stage implements backend.Switches. The snapshot is there before the note, and the note before
// the schema changes: whatever a crash leaves, Settle can go either way.
func (e *Engine) Stage(ctx context.Context, place backend.Place, schema backend.Schema, change backend.Switch) error {
	set, err := e.set(place)
	if err != nil {
		return err
	}
	if err := checkStatements(schema); err != nil {
		return err
	}
	note := staged{Switch: change, Fresh: core.IsCode(set.exists(), core.CodeNotFound)}
	if note.Fresh {
		if err := set.create(); err != nil {
			return core.Wrap(core.CodeUnavailable, err, "the backend could not be created")
		}
	}
	to, err := set.snapshot(change.Snapshot)
	if err != nil {
		return err
	}
	return set.alone(func(app *application) error {
		if !note.Fresh {
			if err := app.copyTo(ctx, to); err != nil {
				return err
			}
		}
		if err := set.writeSwitch(note); err != nil {
			return faultOf(err)
		}
		if err := app.apply(schema, nil); err != nil {
			return errors.Join(err, set.undo(note))
		}
		set.cut()
		return nil
	})
}

// undo opens the place again after a schema that was not accepted.
func (s *dataSet) undo(note staged) error {
	if err := s.removeSwitch(); err != nil {
		return err
	}
	if !note.Fresh {
		return nil
	}
	return errors.Join(s.stop(), faultOf(os.RemoveAll(s.dir)))
}

// Staged implements backend.Switches.
func (e *Engine) Staged(_ context.Context, place backend.Place) (backend.Switch, error) {
	set, err := e.set(place)
	if err != nil {
		return backend.Switch{}, err
	}
	set.gate.RLock()
	defer set.gate.RUnlock()
	note, err := set.readSwitch()
	if err != nil || note == nil {
		return backend.Switch{}, err
	}
	return note.Switch, nil
}

// Settle implements backend.Switches. Every step may be repeated after a crash.
func (e *Engine) Settle(_ context.Context, place backend.Place, keep bool) error {
	set, err := e.set(place)
	if err != nil {
		return err
	}
	return set.whileClosed(func() error {
		note, err := set.readSwitch()
		if err != nil || note == nil {
			return err
		}
		if keep {
			return set.removeSwitch()
		}
		if note.Fresh {
			return faultOf(os.RemoveAll(set.dir))
		}
		from, err := set.snapshot(note.Snapshot)
		if err != nil {
			return err
		}
		if err := set.replaceBy(from); err != nil {
			return err
		}
		return set.removeSwitch()
	})
}
