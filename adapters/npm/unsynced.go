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

// unsyncedNote is such a write-ahead note.
type unsyncedNote struct {
	// Boot is the id of the boot in which the contents were written.
	Boot     string   `json:"boot"`
	Contents []string `json:"contents"`
}

// bootID returns the id of this boot of the machine, "" if unknown.
func bootID() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}

// promise writes a note about contents that are in scratch and about to get their names,
// and returns its path. If the boot has no id, promise syncs the contents immediately.
func (s *store) promise(scratch string, contents []string) (note string, err error) {
	boot := bootID()
	if boot == "" {
		return "", syncAll(scratch)
	}
	text, err := json.Marshal(unsyncedNote{boot, contents})
	if err != nil {
		return "", err
	}
	note = s.path(unsyncedDir, filepath.Base(scratch)+".json")
	_, err = s.linkDurably(text, note)
	return note, err
}

// keepAfter delays the sync of contents, so that it does not slow down callers whose
// writes must be durable immediately.
const keepAfter = time.Second

// keep syncs the whole store after keepAfter, and then removes notes. If the process ends
// before, the next one takes up the notes.
func (s *store) keep(notes ...string) {
	time.AfterFunc(keepAfter, func() {
		there := func(note string) bool {
			_, err := os.Lstat(note)
			return err == nil
		}
		if !slices.ContainsFunc(notes, there) || syncAll(s.dir) != nil {
			return
		}
		for _, note := range notes {
			_ = os.Remove(note)
		}
	})
}

// recover reads the existing notes. It syncs what was written in this boot of the
// machine, and removes what was written in an earlier one.
func (s *store) recover() error {
	notes, err := os.ReadDir(s.path(unsyncedDir))
	if err != nil || len(notes) == 0 {
		return err
	}
	return s.locked(unix.LOCK_EX, func() error {
		boot := bootID()
		var left, old, lost []string
		for _, entry := range notes {
			path := s.path(unsyncedDir, entry.Name())
			text, err := os.ReadFile(path)
			if errors.Is(err, fs.ErrNotExist) {
				continue // another process was faster
			}
			var note unsyncedNote
			if err == nil && json.Unmarshal(text, &note) == nil && note.Boot == boot {
				left = append(left, path)
				continue
			}
			old, lost = append(old, path), append(lost, note.Contents...)
		}
		s.keep(left...)
		if len(old) == 0 {
			return nil
		}
		return s.forget(lost, old)
	})
}

// forget removes contents, then everything that is linked to contents, which is quickly
// rebuilt, and then the notes.
func (s *store) forget(contents, notes []string) error {
	scratch, err := s.scratch()
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	for _, part := range []string{setsDir, instancesDir} {
		err = errors.Join(err, os.Rename(s.path(part), filepath.Join(scratch, part)), os.Mkdir(s.path(part), 0o755))
	}
	for _, name := range contents {
		err = errors.Join(err, ignoreGone(os.Rename(s.path(contentDir, filepath.Base(name)), filepath.Join(scratch, filepath.Base(name)))))
	}
	if err != nil {
		return err
	}
	for _, note := range notes {
		err = errors.Join(err, ignoreGone(os.Remove(note)))
	}
	return err
}
