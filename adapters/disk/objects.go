package disk

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/objects"
)

var _ objects.Store = (*Objects)(nil)

// Objects keeps each object as a file of a folder, which may be on a disk of its own. It is safe for
// concurrent use, and several processes may share the folder.
type Objects struct{ dir string }

// NewObjects returns the objects in a folder, which Put creates if needed.
func NewObjects(dir string) *Objects { return &Objects{dir} }

// unfinished begins the names of files that are being written.
const unfinished = ".writing-"

func (o *Objects) path(name string) (string, error) {
	return filepath.Join(o.dir, name), objects.CheckName(name)
}

// Put implements objects.Store. It writes and syncs the object aside and links it into place.
func (o *Objects) Put(ctx context.Context, name string, content io.Reader) error {
	path, err := o.path(name)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	if err := os.MkdirAll(o.dir, 0o700); err != nil {
		return durable.Fault(err, "folder")
	}
	file, err := os.CreateTemp(o.dir, unfinished+"*")
	if err != nil {
		return durable.Fault(err, "folder")
	}
	defer func() { _ = os.Remove(file.Name()) }()
	if err := fill(ctx, file, content); err != nil {
		return errors.Join(err, file.Close())
	}
	err = errors.Join(file.Sync(), file.Close())
	if err == nil {
		err = os.Link(file.Name(), path)
	}
	if errors.Is(err, fs.ErrExist) {
		return core.Errorf(core.CodeConflict, "the object %s exists already", name)
	}
	if err == nil {
		err = durable.SyncDir(o.dir)
	}
	return durable.Fault(err, "folder")
}

// fill copies content into a file. A failure of content is returned as it is.
func fill(ctx context.Context, file *os.File, content io.Reader) error {
	source := &sourceReader{ctx: ctx, from: content}
	_, err := io.Copy(file, source)
	if source.err != nil {
		return source.err
	}
	return durable.Fault(err, "folder")
}

// sourceReader is a reader that ends with a context and remembers its failure.
type sourceReader struct {
	ctx  context.Context
	from io.Reader
	err  error
}

// Read implements io.Reader.
func (w *sourceReader) Read(p []byte) (int, error) {
	n, err := 0, w.ctx.Err()
	if err == nil {
		n, err = w.from.Read(p)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		w.err = err
	}
	return n, err
}

// Get implements objects.Store.
func (o *Objects) Get(ctx context.Context, name string) (io.ReadCloser, error) {
	path, err := o.path(name)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, durable.Fault(err, "object")
	}
	return file, nil
}

// List implements objects.Store. Files with other names are not objects.
func (o *Objects) List(ctx context.Context) ([]objects.Object, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(o.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, durable.Fault(err, "folder")
	}
	var listed []objects.Object
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || !info.Mode().IsRegular() || objects.CheckName(entry.Name()) != nil {
			continue // removed meanwhile, or no object
		}
		listed = append(listed, objects.Object{Name: entry.Name(), Bytes: info.Size()})
	}
	return listed, nil
}

// Remove implements objects.Store.
func (o *Objects) Remove(ctx context.Context, name string) error {
	path, err := o.path(name)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return durable.Fault(err, "object")
	}
	return nil
}

// Check implements objects.Store.
func (o *Objects) Check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := os.MkdirAll(o.dir, 0o700)
	if err == nil {
		var file *os.File
		if file, err = os.CreateTemp(o.dir, unfinished+"*"); err == nil {
			_, err = file.WriteString("probe")
			err = errors.Join(err, file.Sync(), file.Close(), os.Remove(file.Name()))
		}
	}
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, "%s cannot be written", o.dir)
	}
	return nil
}
