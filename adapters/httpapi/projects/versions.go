package projects

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/versions"
)

// UndoVersion answers POST /projects/:projectId/versions/:sha/undo with the version that
// reverts the other one.
func UndoVersion(service *versions.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		made, err := service.Undo(r.Context(), r.Actor, project, r.Param("sha"))
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusCreated, made)
	}
}

// writeMarked answers with the versions that have a name or a star, unless the query is wrong.
func writeMarked(w http.ResponseWriter, r *rest.Request, service *versions.Service, project core.ID, wrong error) error {
	if wrong != nil {
		return wrong
	}
	marked, err := service.Marked(r.Context(), r.Actor, project)
	if err != nil {
		return err
	}
	return rest.WriteJSON(w, http.StatusOK, versionPage{Items: rest.EmptyIfNil(marked)})
}

// MarkVersion answers PATCH /projects/:projectId/versions/:sha.
func MarkVersion(service *versions.Service) rest.Handler {
	return rest.WithBody("projectId", func(w http.ResponseWriter, r *rest.Request, project core.ID, change versions.MarkChange) error {
		marked, err := service.Mark(r.Context(), r.Actor, project, r.Param("sha"), change)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, marked)
	})
}

// ShowVersion answers GET /projects/:projectId/versions/:sha.
func ShowVersion(service *versions.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		query, err := r.Query()
		if err != nil {
			return err
		}
		var shown versions.Detail
		if from, compared := query["from"]; compared {
			shown, err = service.Compare(r.Context(), r.Actor, project, from, r.Param("sha"))
		} else {
			shown, err = service.Show(r.Context(), r.Actor, project, r.Param("sha"))
		}
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, shown)
	}
}

// SaveVersion answers POST /projects/:projectId/versions. An automatic version takes what
// people changed by hand, and is not made if they changed nothing.
func SaveVersion(service *versions.Service) rest.Handler {
	type request struct {
		Message   *string `json:"message,omitempty"`
		Automatic bool    `json:"automatic,omitempty"`
	}
	return rest.WithBody("projectId", func(w http.ResponseWriter, r *rest.Request, project core.ID, body request) error {
		if body.Automatic {
			return keepVersion(service, w, r, project)
		}
		if body.Message == nil {
			return core.Errorf(core.CodeInvalidRequest, "message is missing")
		}
		made, err := service.Save(r.Context(), r.Actor, project, *body.Message)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusCreated, made)
	})
}

func keepVersion(service *versions.Service, w http.ResponseWriter, r *rest.Request, project core.ID) error {
	made, changed, err := service.Keep(r.Context(), r.Actor, project)
	if err != nil {
		return err
	}
	if !changed {
		return rest.WriteNothing(w)
	}
	return rest.WriteJSON(w, http.StatusCreated, made)
}

// RestoreVersion answers POST /projects/:projectId/versions/:sha/restore with the new
// version, or with the latest if the files are already the same. The body is optional.
func RestoreVersion(service *versions.Service) rest.Handler {
	type request struct {
		TestData bool `json:"testData,omitempty"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		var body request
		if r.HasBody() {
			if err := r.Decode(&body); err != nil {
				return err
			}
		}
		var made any
		var changed bool
		if body.TestData {
			made, changed, err = service.RestoreWithTestData(r.Context(), r.Actor, project, r.Param("sha"))
		} else {
			made, changed, err = service.Restore(r.Context(), r.Actor, project, r.Param("sha"))
		}
		if err != nil {
			return err
		}
		status := http.StatusOK
		if changed {
			status = http.StatusCreated
		}
		return rest.WriteJSON(w, status, made)
	}
}
