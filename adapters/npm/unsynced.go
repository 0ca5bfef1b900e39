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

// Bringing the thousands of files of a set to the disk takes longer than to unpack
// them, so they are used before. A note says which contents may not be on the disk
// yet: it is there itself before they get their names, and goes when they are. The
// end of a process loses nothing of them. Only that of the machine can, and whoever
// opens the store in its next run removes what a note names.

// unsyncedNote is such a note.
type unsyncedNote struct {
	// Boot is the run of the machine in which the contents were written.
	Boot     string   `json:"boot"`
	Contents []string `json:"contents"`
}

// bootID names this run of the machine, "" where nothing tells it.
func bootID() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(id))
}

// promise makes a note about contents that are in scratch and about to get their
// names, and returns its path. Where the run of the machine has no name it brings
// them to the disk at once.
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

// keepAfter is how long bringing files to the disk waits, so that it keeps nobody
// waiting who writes something that must be there at once.
const keepAfter = time.Second

// keep brings all of the store to the disk, soon, and then drops notes. Those that
// stay because the process ended before are taken up by the next one.
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

// recover goes through the notes that are there: what was written in this run of the
// machine is brought to the disk, and what was written in an earlier one is removed.
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
				continue // another process was quicker
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

// forget removes contents, whatever is linked to contents, which is quickly made
// again, and then the notes that say so.
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
