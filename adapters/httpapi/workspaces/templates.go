package workspaces

import (
	"bytes"
	"net/http"
	"strconv"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/core/thumbnails"
)

// ListTemplates answers GET /workspaces/:wid/templates.
func ListTemplates(gallery *projects.Gallery) rest.Handler {
	return rest.ItemsByID("wid", gallery.List)
}

// ShareTemplate answers POST /workspaces/:wid/templates.
func ShareTemplate(gallery *projects.Gallery) rest.Handler {
	type request struct {
		ProjectID   string  `json:"projectId"`
		Name        string  `json:"name"`
		Description *string `json:"description,omitempty"`
		WithSeed    *bool   `json:"withSeed,omitempty"`
	}
	return rest.WithBody("wid", func(w http.ResponseWriter, r *rest.Request, workspace core.ID, body request) error {
		project, err := core.ParseID(body.ProjectID)
		if err != nil {
			return err
		}
		draft := projects.SharedDraft{ProjectID: project, Name: body.Name, WithSeed: body.WithSeed != nil && *body.WithSeed}
		if body.Description != nil {
			draft.Description = *body.Description
		}
		template, err := gallery.Share(r.Context(), r.Actor, workspace, draft)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusCreated, template)
	})
}

// UpdateTemplate answers PATCH /workspaces/:wid/templates/:id.
func UpdateTemplate(gallery *projects.Gallery) rest.Handler {
	type request struct {
		Name        *string `json:"name,omitempty"`
		Description *string `json:"description,omitempty"`
	}
	return rest.WithBody("wid", func(w http.ResponseWriter, r *rest.Request, workspace core.ID, body request) error {
		id, err := r.ID("id")
		if err != nil {
			return err
		}
		template, err := gallery.Change(r.Context(), r.Actor, workspace, id, projects.TemplateChange(body))
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, template)
	})
}

// RetakeTemplate answers POST /workspaces/:wid/templates/:id/update.
func RetakeTemplate(gallery *projects.Gallery) rest.Handler {
	return onRecord(http.StatusOK, gallery.Retake)
}

// DeleteTemplate answers DELETE /workspaces/:wid/templates/:id.
func DeleteTemplate(gallery *projects.Gallery) rest.Handler { return deletesRecord(gallery.Delete) }

// GetTemplatePicture answers GET /workspaces/:wid/templates/:id/thumbnail: with the picture, or with
// a card for a template that has none.
func GetTemplatePicture(gallery *projects.Gallery) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		workspace, id, err := recordOf(r)
		if err != nil {
			return err
		}
		template, picture, err := gallery.Picture(r.Context(), r.Actor, workspace, id)
		if err != nil {
			return err
		}
		header := w.Header()
		header.Set("Content-Type", "image/png")
		header.Set("Cache-Control", "private, no-cache")
		header.Set("Etag", `"`+strconv.FormatInt(int64(template.UpdatedAt), 36)+`"`)
		if picture == nil {
			header.Set("Content-Type", "image/svg+xml")
			picture = thumbnails.CardOf(template.ID, template.Name)
		}
		return rest.ServeContent(w, r, template.UpdatedAt.Std(), bytes.NewReader(picture))
	}
}
