package files

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/search"
)

// maxBulkBytes bounds the body of a bulk request: 500 operations with the contents of
// their files. All other JSON is limited to 1 MiB.
const maxBulkBytes = 64 << 20

// List answers GET /projects/:projectId/files.
func List(service *files.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		query, err := r.Query()
		if err != nil {
			return err
		}
		asTree, err := query.Flag("tree")
		if err != nil {
			return err
		}
		listing, err := service.List(r.Context(), r.Actor, project)
		if err != nil {
			return err
		}
		document := listing.Flat
		if asTree {
			document = listing.Tree
		}
		serveDocument(w, r, document())
		return nil
	}
}

// serveDocument answers with prepared JSON, or with 304.
func serveDocument(w http.ResponseWriter, r *rest.Request, document files.Document) {
	w.Header().Set("Cache-Control", "private, no-cache")
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("ETag", document.ETag)
	rest.ServeWhole(w, r, document.JSON)
}

// Read answers GET and HEAD /projects/:projectId/files/*path.
func Read(service *files.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		at, err := fileAt(r)
		if err != nil {
			return err
		}
		return serveFile(w, r, service, at)
	}
}

func serveFile(w http.ResponseWriter, r *rest.Request, service *files.Service, at core.FileAt) error {
	if err := rest.CheckUse(r.Header); err != nil {
		return err
	}
	guard, err := readGuard(r.Header)
	if err != nil {
		return err
	}
	file, err := service.Read(r.Context(), r.Actor, at)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if err := checkRead(r, guard, file.Entry); err != nil {
		return err
	}
	rest.Disarm(w.Header())
	w.Header().Set("Content-Type", rest.ContentType(at.Path))
	w.Header().Set("ETag", file.Entry.ETag)
	return rest.ServeContent(w, r, file.Entry.UpdatedAt.Std(), file)
}

// Search answers GET /projects/:projectId/files/search. Without q it is the file of that
// name.
func Search(service *files.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		query, err := r.Query()
		if err != nil {
			return err
		}
		pattern, asked := query["q"]
		if !asked {
			return serveFile(w, r, service, core.FileAt{Project: project, Path: core.MustPath("search")})
		}
		limit, err := query.Int("maxResults", search.DefaultLimit, 1, search.MaxLimit)
		if err != nil {
			return err
		}
		found, err := service.Search(r.Context(), r.Actor, project, search.Query{Pattern: pattern, Limit: limit})
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, search.Found{Matches: rest.EmptyIfNil(found.Matches), Truncated: found.Truncated})
	}
}

// Write answers PUT /projects/:projectId/files/*path. The body is the content, whatever
// its type.
func Write(service *files.Service, uploads *rest.Uploads) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		at, err := fileAt(r)
		if err != nil {
			return err
		}
		guard, err := writeGuard(r.Header)
		if err != nil {
			return err
		}
		if len(r.Header.Values("Content-Encoding")) > 0 || r.Header.Get("Content-Range") != "" {
			return core.Errorf(core.CodeUnsupportedMediaType, "the body must be the whole content, without Content-Encoding and Content-Range")
		}
		release := func() {}
		defer func() { release() }()
		result, err := service.Write(r.Context(), r.Actor, at, func() ([]byte, error) {
			content, done, err := uploads.Read(r, service.MaxFileBytes())
			if err == nil {
				release = done
			}
			return content, err
		}, guard)
		if err != nil {
			return err
		}
		w.Header().Set("ETag", result.Entry.ETag)
		if result.Created {
			return rest.WriteJSON(w, http.StatusCreated, result.Entry)
		}
		return rest.WriteJSON(w, http.StatusOK, result.Entry)
	}
}

// Delete answers DELETE /projects/:projectId/files/*path.
func Delete(service *files.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		at, err := fileAt(r)
		if err != nil {
			return err
		}
		guard, err := writeGuard(r.Header)
		if err != nil {
			return err
		}
		if err := service.Delete(r.Context(), r.Actor, at, guard); err != nil {
			return err
		}
		return rest.WriteNothing(w)
	}
}

// Bulk answers POST /projects/:projectId/files/bulk.
func Bulk(service *files.Service, uploads *rest.Uploads) rest.Handler {
	type request struct {
		Operations []files.Operation `json:"operations"`
		Message    *string           `json:"message,omitempty"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		if err := service.MayWrite(r.Context(), r.Actor, project); err != nil {
			return err
		}
		if err := rest.CheckJSONHeaders(r.Header); err != nil {
			return err
		}
		text, done, err := uploads.Read(r, maxBulkBytes)
		if err != nil {
			return err
		}
		defer done()
		var body request
		if err := rest.DecodeStrict(text, &body); err != nil {
			return err
		}
		answer, err := service.Bulk(r.Context(), r.Actor, project, files.Batch{Operations: body.Operations, Message: body.Message})
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, answer)
	}
}

// fileAt returns the project and the path of a file route.
func fileAt(r *rest.Request) (core.FileAt, error) {
	project, err := r.ID("projectId")
	if err != nil {
		return core.FileAt{}, err
	}
	path, err := core.ParsePath(r.Param("path"))
	return core.FileAt{Project: project, Path: path}, err
}

// writeGuard parses the preconditions of a change, nil if there are none.
func writeGuard(header http.Header) (files.Guard, error) {
	guard, err := readGuard(header)
	if err != nil {
		return nil, err
	}
	if since, counts := rest.UnmodifiedSince(header); counts {
		guard = files.Both(guard, files.IfUnmodifiedSince(since))
	}
	unwanted, err := rest.EntityTags(header, "If-None-Match")
	if err != nil || len(unwanted) == 0 {
		return guard, err
	}
	return files.Both(guard, files.IfNoneMatch(unwanted...)), nil
}

// readGuard parses If-Match; for reads, http.ServeContent evaluates the rest.
func readGuard(header http.Header) (files.Guard, error) {
	wanted, err := rest.EntityTags(header, "If-Match")
	if err != nil || len(wanted) == 0 {
		return nil, err
	}
	return files.IfMatch(wanted...), nil
}
