package pocketbase

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/atelierhq/atelier/ports/backend"
)

// Export implements backend.Snapshots.
func (e *Engine) Export(ctx context.Context, place backend.Place, to io.Writer) error {
	set, done, err := e.places.use(place)
	if err != nil {
		return err
	}
	defer done()
	staged, err := os.MkdirTemp(e.config.Dir, "export-")
	if err != nil {
		return faultOf(err)
	}
	defer os.RemoveAll(staged)
	root := filepath.Join(staged, "pb_data")
	if err := set.alone(func(app *application) error { return app.copyTo(ctx, root) }); err != nil {
		return err
	}
	archive := tar.NewWriter(to)
	return errors.Join(archive.AddFS(os.DirFS(staged)), archive.Close())
}
