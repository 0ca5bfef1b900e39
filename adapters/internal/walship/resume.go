package walship

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// noteSuffix ends the name of the note beside a closed database that has all that its durable
// directory holds, and nothing else.
const noteSuffix = ".shipped"

// maxKeptLogs bounds the logs with which a database is opened again without becoming the base.
const maxKeptLogs = 32

// generation identifies what a durable directory holds. Its files are not changed under their names
// by anybody but their opener.
type generation struct {
	// Base is the base's device, inode, size and time of change.
	Base [4]int64
	// Logs are the names of the logs that follow it, Sizes theirs.
	Logs  []string
	Sizes []int64
}

func generationOf(dir string) (generation, error) {
	var is generation
	info, err := os.Stat(filepath.Join(dir, baseName))
	if err != nil {
		return is, err
	}
	system, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return is, errors.ErrUnsupported
	}
	is.Base = [4]int64{int64(system.Dev), int64(system.Ino), info.Size(), info.ModTime().UnixNano()} //nolint:gosec // compared only
	if is.Logs, err = logs(os.DirFS(dir)); err != nil {
		return is, err
	}
	for _, name := range is.Logs {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			return is, err
		}
		is.Sizes = append(is.Sizes, info.Size())
	}
	return is, nil
}

func (g generation) equal(other generation) bool {
	return g.Base == other.Base && slices.Equal(g.Logs, other.Logs) && slices.Equal(g.Sizes, other.Sizes)
}

// Finish ships the log for the last time, and lets the next Resume go on with the database as it is.
// checkpoint makes a checkpoint (wal_checkpoint(TRUNCATE)) over the only connection that is left:
// nobody can change the database any more.
func (l *Log) Finish(checkpoint func() error) error {
	if err := l.Ship(); err != nil {
		return err
	}
	if err := checkpoint(); err != nil {
		return err
	}
	if info, err := os.Stat(l.database + logSuffix); err == nil && info.Size() > 0 {
		return errors.New("the checkpoint left something in the log")
	}
	is, err := generationOf(l.dir)
	if err != nil {
		return err
	}
	// If another has opened the directory, it is no longer what was shipped.
	if err := l.isOurs(); err != nil {
		return err
	}
	text, err := json.Marshal(is)
	if err != nil {
		return err
	}
	return os.WriteFile(l.database+noteSuffix, text, 0o600)
}

// isOurs returns ErrFenced if the segment under way is no longer there.
func (l *Log) isOurs() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last == nil {
		return nil
	}
	return l.fenced()
}

// Resume is Open for a database that Finish left as the durable directory has it: nothing is copied.
// Without one it returns nil, and Open copies.
func Resume(dir, database string) *Log {
	note := database + noteSuffix
	text, err := os.ReadFile(note)
	if err != nil || os.Remove(note) != nil {
		return nil
	}
	var left generation
	if json.Unmarshal(text, &left) != nil {
		return nil
	}
	is, err := generationOf(dir)
	if err != nil || !is.equal(left) || len(is.Logs) > maxKeptLogs {
		return nil
	}
	if _, err := os.Stat(database + logSuffix); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	numbers, err := segments(os.DirFS(dir))
	if err != nil {
		return nil
	}
	l := &Log{dir: dir, database: database, number: 1, mayRestart: true}
	if len(numbers) > 0 {
		l.number = numbers[len(numbers)-1] + 1
	}
	for _, size := range is.Sizes {
		l.segmentsBytes += size
	}
	return l
}
