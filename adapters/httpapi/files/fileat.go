package files

import (
	"bytes"
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/projects"
)

// ReadAt answers GET and HEAD /projects/:projectId/versions/:sha/files/*path.
func ReadAt(history *projects.History) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		at, err := fileAt(r)
		if err != nil {
			return err
		}
		if err := rest.CheckUse(r.Header); err != nil {
			return err
		}
		guard, err := readGuard(r.Header)
		if err != nil {
			return err
		}
		file, err := history.ReadAt(r.Context(), r.Actor, at, r.Param("sha"))
		if err != nil {
			return err
		}
		entry := core.FileEntry{Path: at.Path, Size: int64(len(file.Content)), UpdatedAt: file.At, ETag: file.ETag}
		if err := checkRead(r, guard, entry); err != nil {
			return err
		}
		rest.Disarm(w.Header())
		w.Header().Set("Content-Type", rest.ContentType(at.Path))
		w.Header().Set("ETag", file.ETag)
		return rest.ServeContent(w, r, file.At.Std(), bytes.NewReader(file.Content))
	}
}

// checkRead evaluates the preconditions that http.ServeContent would refuse without a body.
func checkRead(r *rest.Request, guard files.Guard, entry core.FileEntry) error {
	if guard != nil {
		if err := guard(&entry); err != nil {
			return err
		}
	}
	if err := rest.CheckUnmodified(r.Header, entry.UpdatedAt.Std()); err != nil {
		return err
	}
	r.Header.Del("If-Match")
	r.Header.Del("If-Unmodified-Since")
	return nil
}
