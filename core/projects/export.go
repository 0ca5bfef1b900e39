package projects

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"io"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/storage"
)

// exportComment marks archives whose paths are exactly those of a project, so that
// Import removes no common folder and leaves nothing out.
const exportComment = "Atelier project"

// exportBuffer is the size of the buffer for a client, in bytes.
const exportBuffer = 64 << 10

// Export is a prepared zip archive of a project's files, which Import accepts.
type Export struct {
	// Name is the archive's file name: the project's slug with its extension.
	Name    string
	deps    *Deps
	project core.ID
	files   []files.ProjectFile
	// version is the exported version, nil for the current files.
	version *core.Version
	// data is the environment whose data are exported, too; "" for none.
	data core.DataEnv
}

// Exports packs projects.
type Exports struct{ deps *Deps }

// Export prepares a zip archive of the project's files: of a version, or, with "", of
// everything that is in the last version or staged, in any folder. Readers of a public
// project may call it, too. It returns core.CodeNotFound if there is no such version,
// and core.CodePayloadTooLarge if the project is larger than an import may be. Other
// errors are those of access.Gate.Project, and core.CodeUnavailable.
func (e *Exports) Export(ctx context.Context, by core.Actor, id core.ID, version string) (*Export, error) {
	project, err := e.deps.Gate.Project(ctx, by, core.ActionProjectRead, id)
	if err != nil {
		return nil, err
	}
	export, err := e.prepare(ctx, project, version)
	if err != nil {
		return nil, err
	}
	return export, e.record(ctx, by, project, project.Name)
}

func (e *Exports) prepare(ctx context.Context, project core.Project, version string) (*Export, error) {
	export := &Export{Name: project.Slug + ".zip", deps: e.deps, project: project.ID}
	var err error
	if version == "" {
		export.files, err = e.deps.Files.AllFiles(ctx, project.ID)
	} else {
		err = export.takeVersion(ctx, version)
	}
	if err != nil {
		return nil, err
	}
	return export, export.check()
}

func (e *Exports) record(ctx context.Context, by core.Actor, project core.Project, target string) error {
	return e.deps.Store.InTx(ctx, func(ctx context.Context, tables storage.Tables) error {
		return e.deps.Audit.Record(ctx, tables, by, project.WorkspaceID, core.AuditProjectExported, target)
	})
}

func (e *Export) takeVersion(ctx context.Context, id string) error {
	version, err := e.deps.Files.Version(ctx, e.project, id)
	if err != nil {
		return err
	}
	e.version = &version
	e.files, err = e.deps.Files.FilesAt(ctx, e.project, version.ID)
	return err
}

// directoryEntryBytes is the size of an entry in an archive's directory without its
// name.
const directoryEntryBytes = 64

// check refuses an archive that Import would refuse.
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

// Write writes the archive with the files sorted by path, byte by byte. Each file is
// whole and current when it is written; one that was deleted by then is left out.
// Equal files of equal age give equal archives. After an error the output is not a
// valid archive.
func (e *Export) Write(ctx context.Context, w io.Writer) error {
	out := &countingWriter{to: bufio.NewWriterSize(w, exportBuffer)}
	packing := &archiveWriter{archive: zip.NewWriter(out), written: &out.bytes}
	for _, file := range e.files {
		if err := ctx.Err(); err != nil {
			return err
		}
		if e.data != "" && strings.HasPrefix(file.Path.String(), dataPrefix) {
			continue
		}
		if err := e.add(ctx, packing, file); err != nil {
			return err
		}
	}
	if err := e.finish(ctx, packing.archive); err != nil {
		return err
	}
	if err := packing.archive.Close(); err != nil {
		return err
	}
	return out.to.Flush()
}

// finish adds the data, or else marks the archive as one whose paths are the project's.
func (e *Export) finish(ctx context.Context, archive *zip.Writer) error {
	if e.data == "" {
		return archive.SetComment(exportComment)
	}
	if err := e.addData(ctx, archive); err != nil {
		return err
	}
	return archive.SetComment(exportWithDataComment)
}

// add packs a file: from the disk, or from its version.
func (e *Export) add(ctx context.Context, packing *archiveWriter, kept files.ProjectFile) error {
	if e.version == nil {
		file, err := e.deps.Files.Open(ctx, core.FileAt{Project: e.project, Path: kept.Path})
		if err == nil {
			defer file.Close()
			return packing.add(kept.Path, file.Entry.UpdatedAt.Std(), file.Entry.Size, file)
		}
		if !core.IsCode(err, core.CodeNotFound) && !core.IsCode(err, core.CodePathTraversal) {
			return err
		}
	}
	if kept.Blob == nil {
		// It was deleted, or replaced by something other than a file.
		return nil
	}
	content, err := e.deps.Files.Content(ctx, e.project, *kept.Blob, maxUnpackedBytes)
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

// archiveWriter is an archive that is being made.
type archiveWriter struct {
	archive *zip.Writer
	written *int64
	total   int64
}

// add packs a content of a size, in bytes. It stores the content uncompressed if the
// archive would otherwise exceed the ratio that Import accepts. It begins to do so at
// half of the size that is exempt from the ratio, so that the archive is within the
// ratio once it counts.
func (p *archiveWriter) add(path core.ProjectPath, at time.Time, size int64, content io.Reader) error {
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
