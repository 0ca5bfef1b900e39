package npm

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Syncing the thousands of files of a set takes longer than unpacking them, so they are
// used before they are synced. A write-ahead note lists the contents that may not be on
// the disk yet. It is durable before they get their names, and is removed after they are
// synced. A crash of the process loses none of them. A crash of the machine can, so the
// process that opens the store after the next boot removes what a note lists.

// syncNote is such a write-ahead note.
type syncNote struct {
	// Boot is the id of the boot in which the contents were written.
	Boot     string   `json:"boot"`
	Contents []string `json:"contents"`
}

// syncNotes are the notes of a store.
type syncNotes struct{ store *store }

// bootID returns the id of this boot of the machine, "" if unknown.
func bootID() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}

// write writes a note about contents that are in scratch and about to get their names, and
// returns its path. If the boot has no id, it syncs the contents immediately.
func (n syncNotes) write(scratch string, contents []string) (note string, err error) {
	boot := bootID()
	if boot == "" {
		return "", syncAll(scratch)
	}
	text, err := json.Marshal(syncNote{boot, contents})
	if err != nil {
		return "", err
	}
	note = n.store.path(unsyncedDir, filepath.Base(scratch)+".json")
	_, err = n.store.linkDurably(text, note)
	return note, err
}

// syncDelay delays the sync of contents, so that it does not slow down callers whose
// writes must be durable immediately.
const syncDelay = time.Second

// syncLater syncs the whole store after syncDelay, and then removes notes. If the process
// ends before, the next one takes up the notes.
func (n syncNotes) syncLater(notes ...string) {
	time.AfterFunc(syncDelay, func() {
		there := func(note string) bool {
			_, err := os.Lstat(note)
			return err == nil
		}
		if !slices.ContainsFunc(notes, there) || syncAll(n.store.dir) != nil {
			return
		}
		for _, note := range notes {
			_ = os.Remove(note)
		}
	})
}

// recover reads the existing notes. It syncs what was written in this boot of the
// machine, and removes what was written in an earlier one.
func (n syncNotes) recover() error {
	notes, err := os.ReadDir(n.store.path(unsyncedDir))
	if err != nil || len(notes) == 0 {
		return err
	}
	return n.store.locked(unix.LOCK_EX, func() error {
		boot := bootID()
		var left, old, lost []string
		for _, entry := range notes {
			path := n.store.path(unsyncedDir, entry.Name())
			text, err := os.ReadFile(path)
			if errors.Is(err, fs.ErrNotExist) {
				continue // another process was faster
			}
			var note syncNote
			if err == nil && json.Unmarshal(text, &note) == nil && note.Boot == boot {
				left = append(left, path)
				continue
			}
			old, lost = append(old, path), append(lost, note.Contents...)
		}
		n.syncLater(left...)
		if len(old) == 0 {
			return nil
		}
		return n.discard(lost, old)
	})
}

// discard removes contents, then everything that is linked to contents, which is quickly
// rebuilt, and then the notes.
func (n syncNotes) discard(contents, notes []string) error {
	scratch, err := n.store.scratch()
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	for _, part := range []string{setsDir, instancesDir} {
		err = errors.Join(err, os.Rename(n.store.path(part), filepath.Join(scratch, part)), os.Mkdir(n.store.path(part), 0o755))
	}
	for _, name := range contents {
		err = errors.Join(err, ignoreGone(os.Rename(n.store.path(contentDir, filepath.Base(name)), filepath.Join(scratch, filepath.Base(name)))))
	}
	if err != nil {
		return err
	}
	for _, note := range notes {
		err = errors.Join(err, ignoreGone(os.Remove(note)))
	}
	return err
}
