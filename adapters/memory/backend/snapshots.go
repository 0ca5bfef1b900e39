package backend

import (
	"archive/tar"
	"context"
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
		present, err := set.present()
		if err != nil {
			return err
		}
		set.snapshots[id] = present
		stats := present.Stats()
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
	present, err := e.read(ctx, from)
	if err != nil {
		return err
	}
	target, err := e.make(to)
	if err != nil {
		return err
	}
	copied := present.WithoutSessions()
	return target.alone(func() error {
		target.state.Store(copied)
		target.endStreams()
		return nil
	})
}

// Export implements backend.Snapshots. Unlike that of a real engine, the directory is not for
// the stock binary: it holds JSON and the files.
func (e *Engine) Export(ctx context.Context, place port.Place, to io.Writer) error {
	present, err := e.read(ctx, place)
	if err != nil {
		return err
	}
	shown := make(map[string][]map[string]any)
	owner := presenter{&request{state: present, owner: true}}
	for _, c := range present.Collections {
		for _, one := range present.Rows(c) {
			shown[c.Name] = append(shown[c.Name], owner.visible(one))
		}
	}
	schema, err := json.MarshalIndent(present.Schema, "", "  ")
	if err != nil {
		return err
	}
	data, err := json.MarshalIndent(shown, "", "  ")
	if err != nil {
		return err
	}
	files := map[string][]byte{"schema.json": schema, "data.json": data}
	for path, content := range present.Files {
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
