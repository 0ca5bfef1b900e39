package walship

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/atelierhq/atelier/adapters/internal/durable"
)

const (
	// rotateBytes is the size of a segment after which Rotate ends it.
	rotateBytes = 4 << 20
	// compactBytes is the least size of the segments before they replace the base.
	compactBytes = 16 << 20
)

// ErrFenced means that another process has opened the durable directory in the meantime.
var ErrFenced = errors.New("another process has the data")

// Log ships the write-ahead log of one open database. It may be used by many goroutines.
type Log struct {
	dir, database string

	mu sync.Mutex
	// live is SQLite's log, opened once it exists; at is the end of what was shipped.
	live *os.File
	at   position
	// mayRestart is true if SQLite may restart its log, because all of it was shipped and
	// checkpointed.
	mayRestart bool
	// last is the current segment with its number; nil before its first transaction.
	last   *os.File
	number int
	// segmentsBytes counts the bytes shipped since the base was made.
	segmentsBytes int64
	failed        error
}

// Open creates the database from a durable directory and returns the Log that ships it.
// Both directories exist, and the database is not open. Close the Log after the database.
func Open(dir, database string) (*Log, error) {
	for _, suffix := range []string{"", logSuffix, "-shm"} {
		if err := os.Remove(database + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	found, err := openAll(os.DirFS(dir))
	if err != nil {
		return nil, err
	}
	defer found.close()
	if err := found.restore(database); err != nil {
		return nil, err
	}
	if len(found.logs) > 0 {
		if err := replaceBase(dir, database); err != nil {
			return nil, err
		}
	}
	return &Log{dir: dir, database: database, number: 1, mayRestart: true}, nil
}

// Ship makes all committed transactions durable. After a failure, ErrFenced included,
// nothing is shipped any more: the caller closes the database and opens what was shipped.
func (l *Log) Ship() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed == nil {
		l.failed = l.ship()
	}
	return l.failed
}

func (l *Log) ship() error {
	begun, err := l.follow()
	if err != nil || !begun {
		return err
	}
	end, err := lastCommit(l.live, l.at, nil)
	if err != nil || end.at.offset == l.at.offset {
		return err
	}
	if err := l.openSegment(); err != nil {
		return err
	}
	from := l.at.offset
	if from == headerBytes {
		from = 0
	}
	if _, err := l.last.ReadFrom(io.NewSectionReader(l.live, from, end.at.offset-from)); err != nil {
		return err
	}
	if err := l.last.Sync(); err != nil {
		return err
	}
	l.segmentsBytes += end.at.offset - from
	l.at, l.mayRestart = end.at, false
	return l.fenced()
}

// follow opens SQLite's log and notices when SQLite restarts it.
func (l *Log) follow() (bool, error) {
	if l.live == nil {
		file, err := os.Open(l.database + logSuffix)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		l.live = file
	}
	start, err := begin(l.live)
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	if err != nil || start.salt == l.at.salt {
		return err == nil, err
	}
	if !l.mayRestart {
		return false, errors.New("the write-ahead log of a database began anew before it was shipped")
	}
	l.at = start
	return true, l.endSegment()
}

// openSegment creates the next segment.
func (l *Log) openSegment() error {
	if l.last != nil {
		return nil
	}
	file, err := os.OpenFile(l.segment(), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	l.last = file
	return durable.SyncDir(l.dir)
}

// segment is the path of the segment under way.
func (l *Log) segment() string { return filepath.Join(l.dir, segment(l.number)) }

func (l *Log) endSegment() error {
	if l.last == nil {
		return nil
	}
	err := l.last.Close()
	l.last = nil
	l.number++
	return err
}

// fenced returns ErrFenced if the current segment is gone.
func (l *Log) fenced() error {
	there, err := os.Stat(l.segment())
	if errors.Is(err, fs.ErrNotExist) {
		return ErrFenced
	}
	if err != nil {
		return err
	}
	ours, err := l.last.Stat()
	if err == nil && !os.SameFile(ours, there) {
		err = ErrFenced
	}
	return err
}

// Failed returns the error that ended shipping, or nil.
func (l *Log) Failed() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed
}

// Due reports whether Rotate has something to do.
func (l *Log) Due() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.failed == nil && l.at.offset > rotateBytes
}

// Rotate ships the log and then makes SQLite restart it. checkpoint runs
// wal_checkpoint(TRUNCATE). Nothing may change the database meanwhile. Rotate fails as Ship
// does.
func (l *Log) Rotate(checkpoint func() error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed == nil {
		l.failed = l.rotate(checkpoint)
	}
	return l.failed
}

func (l *Log) rotate(checkpoint func() error) error {
	if err := l.ship(); err != nil {
		return err
	}
	l.mayRestart = true
	if err := checkpoint(); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	info, err := os.Stat(l.database + logSuffix)
	if err != nil || info.Size() > 0 {
		return err // readers kept SQLite from it: later
	}
	base, err := os.Stat(filepath.Join(l.dir, baseName))
	if err != nil {
		return err
	}
	if err := l.endSegment(); err != nil || l.segmentsBytes < max(compactBytes, base.Size()) {
		return err
	}
	if err := replaceBase(l.dir, l.database); err != nil {
		return err
	}
	l.segmentsBytes = 0
	return nil
}

// Close closes the files without shipping.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.failed == nil {
		l.failed = fs.ErrClosed
	}
	var errs []error
	for _, file := range []*os.File{l.live, l.last} {
		if file != nil {
			errs = append(errs, file.Close())
		}
	}
	l.live, l.last = nil, nil
	return errors.Join(errs...)
}
