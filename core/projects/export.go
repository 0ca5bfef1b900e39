package projects

import (
	"archive/zip"
	"bufio"
	"context"
	"io"

	"github.com/atelierhq/atelier/core"
)

// exportComment marks archives in which paths are those of a project as they are,
// so that Import takes no folder off them.
const exportComment = "Atelier project"

// exportBuffer gathers what is written to a client, in bytes.
const exportBuffer = 64 << 10

// Export is a project's files on their way into a zip archive.
type Export struct {
	// Name is the archive's file name: the project's slug with its extension.
	Name    string
	service *Service
	project core.ID
	entries []core.FileEntry
}

// Export prepares a zip archive of the project's listed files. Readers of a public
// project may, too. Errors are those of access.Gate.Project, and
// core.CodeUnavailable.
func (s *Service) Export(ctx context.Context, by core.Actor, id core.ID) (*Export, error) {
	project, err := s.ports.Gate.Project(ctx, by, core.ActionProjectRead, id)
	if err != nil {
		return nil, err
	}
	listing, err := s.ports.Files.List(ctx, id)
	if err != nil {
		return nil, err
	}
	return &Export{Name: project.Slug + ".zip", service: s, project: id, entries: listing.Entries}, nil
}

// Write writes the archive: the files sorted by path, byte by byte, each whole and
// as it is when its turn comes. One that is gone by then is left out. Equal files
// of equal age give equal archives. After an error what was written is no archive.
func (e *Export) Write(ctx context.Context, w io.Writer) error {
	archive := zip.NewWriter(bufio.NewWriterSize(w, exportBuffer))
	for _, entry := range e.entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := e.add(ctx, archive, entry.Path); err != nil {
			return err
		}
	}
	if err := archive.SetComment(exportComment); err != nil {
		return err
	}
	return archive.Close()
}

func (e *Export) add(ctx context.Context, archive *zip.Writer, path core.ProjectPath) error {
	file, err := e.service.ports.Files.Open(ctx, core.FileAt{Project: e.project, Path: path})
	if core.IsCode(err, core.CodeNotFound) || core.IsCode(err, core.CodePathTraversal) {
		// It went, or something else than a file took its place.
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	header := &zip.FileHeader{Name: path.String(), Method: zip.Deflate, Modified: file.Entry.UpdatedAt.Std()}
	header.SetMode(0o644)
	content, err := archive.CreateHeader(header)
	if err != nil {
		return err
	}
	_, err = io.Copy(content, file)
	return err
}
