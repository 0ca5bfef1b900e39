package pocketbase

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// switchNote is the content of the file that closes a place: a write-ahead note.
type switchNote struct {
	backend.Switch
	// Fresh says that there was no data before.
	Fresh bool
}

func (d directory) switchFile() string { return filepath.Join(string(d), "switch.json") }

// readSwitch returns the note that closes the place, nil if it is open.
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
	return errors.Join(os.Rename(fresh, d.switchFile()), durable.SyncDir(string(d)))
}

// removeSwitch opens the place.
func (d directory) removeSwitch() error {
	return faultOf(errors.Join(os.Remove(d.switchFile()), durable.SyncDir(string(d))))
}
