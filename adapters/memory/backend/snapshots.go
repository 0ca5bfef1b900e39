package backend

import (
	"archive/tar"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/backend"
)

// Snapshot implements backend.Snapshots.
func (e *Engine) Snapshot(ctx context.Context, place port.Place, id core.ID) (int64, error) {
	set, err := e.find(place)
	if err == nil {
		_, err = core.ParseID(string(id))
	}
	if err := errors.Join(err, ctx.Err()); err != nil {
		return 0, err
	}
	var size int64
	err = set.alone(func() error {
		if set.snapshots[id] != nil {
			return core.Errorf(core.CodeConflict, "the snapshot exists already")
		}
		present := set.state.Load()
		if present == nil {
			return core.NotFound("backend")
		}
		set.snapshots[id] = present
		stats := present.stats()
		size = stats.Bytes + stats.FileBytes
		return nil
	})
	return size, err
}

// Restore implements backend.Snapshots.
func (e *Engine) Restore(_ context.Context, place port.Place, id core.ID) error {
	set, err := e.find(place)
	if err != nil {
		return err
	}
	return set.alone(func() error {
		from := set.snapshots[id]
		if from == nil {
			return core.NotFound("snapshot")
		}
		set.state.Store(from)
		set.endStreams()
		return nil
	})
}

// Forget implements backend.Snapshots.
func (e *Engine) Forget(_ context.Context, place port.Place, id core.ID) error {
	set, err := e.find(place)
	if core.IsCode(err, core.CodeNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return set.alone(func() error { delete(set.snapshots, id); return nil })
}

// Copy implements backend.Snapshots.
func (e *Engine) Copy(ctx context.Context, from, to port.Place) error {
	source, err := e.find(from)
	if err := errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	target, err := e.make(to)
	if err != nil {
		return err
	}
	present := source.state.Load()
	if present == nil {
		return core.NotFound("backend")
	}
	copied := present.clone()
	copied.secret = rand.Text() + rand.Text()
	clear(copied.otps)
	return target.alone(func() error {
		target.state.Store(copied)
		target.endStreams()
		return nil
	})
}

// Export implements backend.Snapshots. Unlike that of a real engine, the directory is not for
// the stock binary: it holds JSON and the files.
func (e *Engine) Export(ctx context.Context, place port.Place, to io.Writer) error {
	set, err := e.find(place)
	if err := errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	present := set.state.Load()
	if present == nil {
		return core.NotFound("backend")
	}
	records := make(map[string][]map[string]any)
	owner := &request{set: set, state: present, owner: true}
	for _, c := range present.collections {
		for _, one := range present.rows(c) {
			records[c.Name] = append(records[c.Name], owner.visible(one))
		}
	}
	schema, err := json.MarshalIndent(present.schema, "", "  ")
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(records, "", "  ")
	if err != nil {
		return err
	}
	files := map[string][]byte{"schema.json": schema, "data.json": data}
	for path, content := range present.files {
		files["storage/"+path] = content
	}
	archive := tar.NewWriter(to)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		header := &tar.Header{Name: "pb_data/" + name, Mode: 0o600, Size: int64(len(files[name])), ModTime: time.Now()}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(files[name]); err != nil {
			return err
		}
	}
	return archive.Close()
}
