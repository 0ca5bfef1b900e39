package projects

import (
	"archive/tar"
	"archive/zip"
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// dataPrefix begins the paths of the data in an archive. Files of the project below it are left
// out of such an archive.
const dataPrefix = "pb_data/"

// exportWithDataComment marks archives of Export that also have data, which Import leaves out:
// they may be larger than a project.
const exportWithDataComment = exportComment + " with data"

// ExportWithData is Export with the data of an environment of the project's backend, as the
// directory pb_data that the stock PocketBase binary serves. It is for members, with live data
// for admins. A project without such data has core.CodeNotFound. The archive may be larger than
// an import accepts.
func (e *Exports) ExportWithData(ctx context.Context, by core.Actor, id core.ID, version string, data core.DataEnv) (*Export, error) {
	action := core.ActionBackendRead
	if data == core.DataLive {
		action = core.ActionBackendLiveCopies
	}
	project, err := e.deps.Gate.Project(ctx, by, action, id)
	if err != nil {
		return nil, err
	}
	if err := e.deps.Backends.HasData(ctx, backend.Place{Project: id, Env: data}); err != nil {
		return nil, err
	}
	export, err := e.prepare(ctx, project, version)
	if err != nil {
		return nil, err
	}
	export.data = data
	return export, e.record(ctx, by, project, project.Name+" with "+string(data)+" data")
}

// addData packs the data as they are at one moment.
func (e *Export) addData(ctx context.Context, archive *zip.Writer) error {
	read, write := io.Pipe()
	exported := make(chan error, 1)
	go func() {
		err := e.deps.Backends.ExportData(ctx, backend.Place{Project: e.project, Env: e.data}, write)
		exported <- err
		write.CloseWithError(err)
	}()
	err := repack(archive, tar.NewReader(read))
	if err == nil {
		// The end of the archive need not be the end of the stream.
		_, err = io.Copy(io.Discard, read)
	}
	read.CloseWithError(err)
	return errors.Join(err, <-exported)
}

// repack copies the files of a tar archive that are data.
func repack(to *zip.Writer, from *tar.Reader) error {
	for {
		header, err := from.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		if !fs.ValidPath(header.Name) || !strings.HasPrefix(header.Name, dataPrefix) {
			return core.Errorf(core.CodeInternal, "the data hold a file %q outside of %s", header.Name, dataPrefix)
		}
		packed := &zip.FileHeader{Name: header.Name, Method: zip.Deflate, Modified: header.ModTime}
		packed.SetMode(0o600)
		entry, err := to.CreateHeader(packed)
		if err != nil {
			return err
		}
		if _, err := io.Copy(entry, from); err != nil {
			return err
		}
	}
}
