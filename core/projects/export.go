package projects

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"io"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/storage"
)

// exportComment marks archives in which paths are those of a project as they are,
// so that Import takes no folder off them and leaves nothing out.
const exportComment = "Atelier project"

// exportBuffer gathers what is written to a client, in bytes.
const exportBuffer = 64 << 10

// Export is a project's files on their way into a zip archive, which Import takes.
type Export struct {
	// Name is the archive's file name: the project's slug with its extension.
	Name    string
	service *Service
	project core.ID
	files   []files.Kept
	// version is the one whose files these are, nil for the project as it stands.
	version *core.Version
}

// Export prepares a zip archive of the project's files: of a version, or, with "", of
// all that is in the last one or staged, whatever its folder is called. Readers of a
// public project may, too. A version that is not there has code core.CodeNotFound, a
// project with more than an import takes core.CodePayloadTooLarge; others are those of
// access.Gate.Project, and core.CodeUnavailable.
func (s *Service) Export(ctx context.Context, by core.Actor, id core.ID, version string) (*Export, error) {
	project, err := s.deps.Gate.Project(ctx, by, core.ActionProjectRead, id)
	if err != nil {
		return nil, err
	}
	export := &Export{Name: project.Slug + ".zip", service: s, project: id}
	if version == "" {
		export.files, err = s.deps.Files.Kept(ctx, id)
	} else {
		err = export.takeVersion(ctx, version)
	}
	if err != nil {
		return nil, err
	}
	if err := export.check(); err != nil {
		return nil, err
	}
	return export, s.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		return s.deps.Audit.Record(ctx, tables, by, project.WorkspaceID, core.AuditProjectExported, project.Name)
	})
}

func (e *Export) takeVersion(ctx context.Context, id string) error {
	version, err := e.service.deps.Files.Version(ctx, e.project, id)
	if err != nil {
		return err
	}
	e.version = &version
	e.files, err = e.service.deps.Files.KeptAt(ctx, e.project, version.ID)
	return err
}

// directoryEntryBytes is what an entry takes in an archive's directory besides its name.
const directoryEntryBytes = 64

// check refuses what Import would.
func (e *Export) check() error {
	var total, directory int64
	for _, file := range e.files {
		total += max(file.Size, 0)
		directory += int64(len(file.Path.String())) + directoryEntryBytes
	}
	if len(e.files) > maxArchiveFiles || total > maxUnpackedBytes || directory > maxDirectoryBytes {
		return tooMuch()
	}
	return nil
}

func tooMuch() error {
	return core.Errorf(core.CodePayloadTooLarge, "an archive holds at most %d files and %d bytes, and the project has more: clone it with git", maxArchiveFiles, maxUnpackedBytes)
}

// Write writes the archive: the files sorted by path, byte by byte, each whole and
// as it is when its turn comes. One that is gone by then is left out. Equal files
// of equal age give equal archives. After an error what was written is no archive.
func (e *Export) Write(ctx context.Context, w io.Writer) error {
	out := &countingWriter{to: bufio.NewWriterSize(w, exportBuffer)}
	packing := &packing{archive: zip.NewWriter(out), written: &out.bytes}
	for _, file := range e.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := e.add(ctx, packing, file); err != nil {
			return err
		}
	}
	if err := packing.archive.SetComment(exportComment); err != nil {
		return err
	}
	if err := packing.archive.Close(); err != nil {
		return err
	}
	return out.to.Flush()
}

// add packs a file: from the disk, or, where it is in a version, as that has it.
func (e *Export) add(ctx context.Context, packing *packing, kept files.Kept) error {
	if e.version == nil {
		file, err := e.service.deps.Files.Open(ctx, core.FileAt{Project: e.project, Path: kept.Path})
		if err == nil {
			defer file.Close()
			return packing.add(kept.Path, file.Entry.UpdatedAt.Std(), file.Entry.Size, file)
		}
		if !core.IsCode(err, core.CodeNotFound) && !core.IsCode(err, core.CodePathTraversal) {
			return err
		}
	}
	if kept.Blob == nil {
		// It went, or something else than a file took its place.
		return nil
	}
	content, err := e.service.deps.Files.Content(ctx, e.project, *kept.Blob, maxUnpackedBytes)
	if err != nil {
		return err
	}
	var at time.Time
	if e.version != nil {
		at = e.version.CreatedAt.Std()
	}
	return packing.add(kept.Path, at, int64(len(content)), bytes.NewReader(content))
}

// countingWriter counts what goes into an archive.
type countingWriter struct {
	to    *bufio.Writer
	bytes int64
}

// Write implements io.Writer.
func (c *countingWriter) Write(data []byte) (int, error) {
	n, err := c.to.Write(data)
	c.bytes += int64(n)
	return n, err
}

// packing is an archive that is being made.
type packing struct {
	archive *zip.Writer
	written *int64
	total   int64
}

// add packs a content of a size, in bytes. Where the archive would shrink to less than
// Import believes an archive to, the content goes in as it is; that begins at half of
// what may shrink at will, so that it is enough by the time it is asked for.
func (p *packing) add(path core.ProjectPath, at time.Time, size int64, content io.Reader) error {
	if p.total += size; p.total > maxUnpackedBytes {
		return tooMuch()
	}
	header := &zip.FileHeader{Name: path.String(), Method: zip.Deflate, Modified: at}
	if p.total > freeBytes/2 && p.total > maxRatio**p.written {
		header.Method = zip.Store
	}
	header.SetMode(0o644)
	entry, err := p.archive.CreateHeader(header)
	if err != nil {
		return err
	}
	n, err := io.Copy(entry, content)
	p.total += n - size
	return err
}
