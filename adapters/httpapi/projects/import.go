package projects

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"time"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/fair"
	"github.com/atelierhq/atelier/core/projects"
)

// Bounds on imports.
const (
	// importPlaces bounds the concurrent imports, and with them the disk space of
	// archives and the memory for unpacking them. importsKept are additional places for
	// people without a running import.
	importPlaces = 8
	importsKept  = 4
	// importTime is how long receiving an archive may take.
	importTime = 15 * time.Minute
	// maxFieldBytes bounds a form field beside the archive.
	maxFieldBytes = 4 << 10
	// formOverhead is the size of a form beside the archive, in bytes.
	formOverhead = 64 << 10
)

// Imports is a semaphore that bounds imports.
type Imports struct{ semaphore *fair.Semaphore }

// NewImports returns the semaphore that imports of one kind share.
func NewImports() *Imports {
	return &Imports{fair.New(fair.Bounds{Capacity: importPlaces, Reserve: importsKept})}
}

// enter waits for a place for a person. The caller releases it.
func (i *Imports) enter(ctx context.Context, person core.ID) (leave func(), err error) {
	wait, cancel := context.WithTimeout(ctx, rest.RoomWait)
	defer cancel()
	leave, err = i.semaphore.Enter(fair.WithTenant(wait, person))
	if err != nil {
		full := core.Wrap(core.CodeUnavailable, err, "too much is being imported or copied at the moment: try again later")
		full.RetryAfter = rest.RoomWait
		return nil, full
	}
	return leave, nil
}

// Import answers POST /workspaces/:wid/projects/import.
func Import(creations *projects.Creations, imports *Imports) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		workspace, err := r.ID("wid")
		if err != nil {
			return err
		}
		if err := creations.MayCreate(r.Context(), r.Actor, workspace); err != nil {
			return err
		}
		if isJSON(r.Header) {
			return importGit(w, r, creations, imports, workspace)
		}
		form, err := newImportForm(r)
		if err != nil {
			return err
		}
		leave, err := imports.enter(r.Context(), r.Actor.UserID)
		if err != nil {
			return err
		}
		defer leave()
		defer form.close()
		if err := form.read(); err != nil {
			return err
		}
		project, err := creations.Import(r.Context(), r.Actor, workspace, form.draft(), form.archive)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusCreated, importAnswer{project.View, rest.InWords(project.Notes, r.Actor.Language)})
	}
}

// importAnswer is a project that was imported, with notes in the importer's language.
type importAnswer struct {
	projects.View
	Notes []string `json:"notes,omitempty"`
}

// importForm is the form of an import while it is received. The archive goes to an
// unlinked file, which vanishes with the process, however that ends.
type importForm struct {
	parts   *multipart.Reader
	fields  map[string]string
	file    *os.File
	archive projects.Archive
}

// newImportForm checks the headers. If the body is no form, the error has code
// core.CodeUnsupportedMediaType; if its declared length is too large,
// core.CodePayloadTooLarge.
func newImportForm(r *rest.Request) (*importForm, error) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || params["boundary"] == "" ||
		len(r.Header.Values("Content-Type")) != 1 || len(r.Header.Values("Content-Encoding")) > 0 {
		return nil, core.Errorf(core.CodeUnsupportedMediaType, "the body must be multipart/form-data without Content-Encoding, or application/json")
	}
	const limit = projects.MaxArchiveBytes + formOverhead
	if r.ContentLength > limit {
		return nil, rest.TooLarge(limit)
	}
	body := &pacedReader{from: r.Body, control: r.Control(), left: limit, end: time.Now().Add(importTime)}
	return &importForm{parts: multipart.NewReader(body, params["boundary"]), fields: map[string]string{}}, nil
}

func (f *importForm) close() {
	if f.file != nil {
		_ = f.file.Close()
	}
}

// read receives the whole form. A malformed form, and an unknown, repeated or missing
// field, have code core.CodeInvalidRequest.
func (f *importForm) read() error {
	for {
		part, err := f.parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return receiving(err)
		}
		switch name := part.FormName(); name {
		case "file":
			err = f.readFile(part)
		case "name", "folderId":
			err = f.readField(name, part)
		default:
			err = core.Errorf(core.CodeInvalidRequest, "the form has the unknown field %.50q", name)
		}
		if err != nil {
			return err
		}
	}
	if _, named := f.fields["name"]; !named {
		return core.Errorf(core.CodeInvalidRequest, "name is missing")
	}
	if f.file == nil {
		return core.Errorf(core.CodeInvalidRequest, "file is missing")
	}
	return nil
}

func (f *importForm) readField(name string, part *multipart.Part) error {
	if _, twice := f.fields[name]; twice {
		return core.Errorf(core.CodeInvalidRequest, "the form field %s occurs twice", name)
	}
	value, err := io.ReadAll(io.LimitReader(part, maxFieldBytes+1))
	if err != nil {
		return receiving(err)
	}
	if len(value) > maxFieldBytes {
		return core.Errorf(core.CodeValidationFailed, "%s has more than %d bytes", name, maxFieldBytes)
	}
	f.fields[name] = string(value)
	return nil
}

func (f *importForm) readFile(part *multipart.Part) error {
	if f.file != nil {
		return core.Errorf(core.CodeInvalidRequest, "the form field file occurs twice")
	}
	file, err := os.CreateTemp("", "atelier-import-")
	if err == nil {
		f.file = file
		err = os.Remove(file.Name())
	}
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the archive cannot be stored")
	}
	size, err := io.Copy(file, io.LimitReader(part, projects.MaxArchiveBytes+1))
	if err != nil {
		return receiving(err)
	}
	if size > projects.MaxArchiveBytes {
		return rest.TooLarge(projects.MaxArchiveBytes)
	}
	f.archive = projects.Archive{ReaderAt: file, Size: size}
	return nil
}

// draft returns the values of the fields. A form sends an empty field as "".
func (f *importForm) draft() projects.ImportDraft {
	draft := projects.ImportDraft{Name: f.fields["name"]}
	if folder := core.ID(f.fields["folderId"]); folder != "" {
		draft.FolderID = &folder
	}
	return draft
}

// receiving gives a failure to receive a form its code.
func receiving(err error) error {
	var known *core.Error
	var onDisk *fs.PathError
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, os.ErrDeadlineExceeded):
		return core.Errorf(core.CodeInvalidRequest, "the body stalled for %s, or took longer than %s", rest.UploadStall, importTime)
	case errors.As(err, &onDisk):
		return core.Wrap(core.CodeUnavailable, err, "the archive cannot be stored")
	}
	return core.Wrap(core.CodeInvalidRequest, err, "the body is not a complete form")
}

// pacedReader reads a body of at most left bytes before end, with a timeout for clients
// that send nothing.
type pacedReader struct {
	from    io.Reader
	control *http.ResponseController
	left    int64
	end     time.Time
}

// Read implements io.Reader.
func (p *pacedReader) Read(into []byte) (int, error) {
	deadline := time.Now().Add(rest.UploadStall)
	if p.end.Before(deadline) {
		deadline = p.end
	}
	// Writers without deadlines, as in tests, read without one.
	_ = p.control.SetReadDeadline(deadline)
	n, err := p.from.Read(into)
	_ = p.control.SetReadDeadline(time.Time{})
	if p.left -= int64(n); p.left < 0 {
		return 0, rest.TooLarge(projects.MaxArchiveBytes)
	}
	return n, err
}
