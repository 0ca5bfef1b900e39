package recording

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
)

// DefaultMaxBytes bounds a recording without a bound of its own. A call repeats its whole
// conversation, so a long run of the agent takes several MiB.
const DefaultMaxBytes = 256 << 20

// Config says what is recorded, and where.
type Config struct {
	// Dir is the folder for the file. If it does not exist, it is created with mode 0700.
	Dir string
	// Images records the content of pictures, and not only their size and hash.
	Images bool
	// MaxBytes bounds the file; 0 is DefaultMaxBytes. What exceeds it is not recorded,
	// which is logged once.
	MaxBytes int64
	Now      func() time.Time
	// Log is told when recording stops before the end.
	Log *slog.Logger
}

// File is an open recording. It is safe for concurrent use.
type File struct {
	config Config
	path   string

	mu   sync.Mutex
	file *os.File
	left int64
	// stopped means that nothing more is written.
	stopped bool
}

// fullLine ends a recording that has reached its bound. There is always room for it.
const fullLine = `{"kind":"` + kindFull + `"}` + "\n"

// Create opens a new file in the folder. If the folder cannot be used, the error has code
// core.CodeUnavailable.
func Create(config Config) (*File, error) {
	if config.MaxBytes <= 0 {
		config.MaxBytes = DefaultMaxBytes
	}
	if err := os.MkdirAll(config.Dir, 0o700); err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the folder for recordings cannot be created")
	}
	now := config.Now().UTC()
	id := string(core.NewID())
	path := filepath.Join(config.Dir, now.Format("20060102T150405Z")+"-"+id[len(id)-8:]+".jsonl")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the recording cannot be created")
	}
	f := &File{config: config, path: path, file: file, left: config.MaxBytes - int64(len(fullLine))}
	f.write(context.Background(), header{kindRecording, version, core.At(now), config.Images})
	if f.stopped {
		return nil, errors.Join(core.Errorf(core.CodeUnavailable, "the recording cannot be written"), file.Close())
	}
	if err := durable.SyncDir(config.Dir); err != nil {
		return nil, errors.Join(core.Wrap(core.CodeUnavailable, err, "the recording cannot be written"), file.Close())
	}
	return f, nil
}

// Path is where the file is.
func (f *File) Path() string { return f.path }

// Close ends the recording. Providers continue unrecorded.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = true
	if err := f.file.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return core.Wrap(core.CodeUnavailable, err, "the recording cannot be closed")
	}
	return nil
}

// write appends a line durably. A failure ends the recording, and nothing else.
func (f *File) write(ctx context.Context, value any) {
	line, err := encode(value)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stopped {
		return
	}
	line = append(line, '\n')
	full := int64(len(line)) > f.left
	if full {
		line = []byte(fullLine)
	}
	if err == nil {
		_, err = f.file.Write(line)
	}
	if err == nil {
		err = f.file.Sync()
	}
	f.left -= int64(len(line))
	f.stopped = full || err != nil
	switch {
	case err != nil:
		f.config.Log.ErrorContext(ctx, "stopped recording exchanges with AI providers", "file", f.path, "error", err)
	case full:
		f.config.Log.WarnContext(ctx, "stopped recording exchanges with AI providers: the recording is full", "file", f.path, "bytes", f.config.MaxBytes)
	}
}
