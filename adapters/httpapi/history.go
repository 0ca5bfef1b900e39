package httpapi

import (
	"bytes"
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/projects"
)

// historyPage asks for part of the history of a file.
type historyPage struct {
	before string
	limit  int
	// cursor makes the text of the next page.
	cursor func(next string) string
}

// writeHistory answers GET /projects/:projectId/versions?path=.
func writeHistory(w http.ResponseWriter, r *rest.Request, service *projects.Service, at core.FileAt, page historyPage) error {
	found, next, err := service.HistoryOf(r.Context(), r.Actor, at, page.before, page.limit)
	if err != nil {
		return err
	}
	answer := versionPage{Items: rest.EmptyIfNil(found)}
	if next != "" {
		answer.NextCursor = new(page.cursor(next))
	}
	return rest.WriteJSON(w, http.StatusOK, answer)
}

// readFileAt answers GET and HEAD /projects/:projectId/versions/:sha/files/*path.
func readFileAt(service *projects.Service) rest.Handler {
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
		file, err := service.ReadAt(r.Context(), r.Actor, at, r.Param("sha"))
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

// checkRead answers the conditions that http.ServeContent would refuse without a body.
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
