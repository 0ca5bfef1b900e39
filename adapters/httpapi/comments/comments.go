package comments

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/comments"
)

// List answers GET /projects/:projectId/comments.
func List(service *comments.Service, cursors rest.Cursors) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		query, err := r.Query()
		if err != nil {
			return err
		}
		var resolved *bool
		if _, present := query["resolved"]; present {
			wanted, err := query.Bool("resolved")
			if err != nil {
				return err
			}
			resolved = &wanted
		}
		list := "comments of " + string(project)
		page, err := cursors.Page(list, query)
		if err != nil {
			return err
		}
		limit := page.Limit
		page.Limit++
		found, err := service.List(r.Context(), r.Actor, project, resolved, page)
		if err != nil {
			return err
		}
		next := ""
		if len(found) > limit {
			found = found[:limit]
			next = cursors.Position(list, core.Position{CreatedAt: found[limit-1].CreatedAt, ID: found[limit-1].ID})
		}
		return rest.WritePage(w, found, next)
	}
}

// Create answers POST /projects/:projectId/comments.
func Create(service *comments.Service) rest.Handler {
	type element struct {
		Tag      string `json:"tag"`
		Path     string `json:"path,omitempty"`
		Line     int    `json:"line,omitempty"`
		Column   int    `json:"column,omitempty"`
		Selector string `json:"selector"`
		Text     string `json:"text,omitempty"`
	}
	type request struct {
		Text    string   `json:"text"`
		Page    string   `json:"page"`
		Width   int      `json:"width"`
		Element *element `json:"element,omitempty"`
	}
	return rest.WithBody("projectId", func(w http.ResponseWriter, r *rest.Request, project core.ID, body request) error {
		anchor := core.CommentAnchor{Page: body.Page, Width: body.Width, Element: (*core.PageElement)(body.Element)}
		made, err := service.Create(r.Context(), r.Actor, project, body.Text, anchor)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusCreated, made)
	})
}

// Reply answers POST /projects/:projectId/comments/:commentId/replies.
func Reply(service *comments.Service) rest.Handler {
	type request struct {
		Text string `json:"text"`
	}
	return rest.WithBody("projectId", func(w http.ResponseWriter, r *rest.Request, project core.ID, body request) error {
		thread, err := r.ID("commentId")
		if err != nil {
			return err
		}
		answered, err := service.Answer(r.Context(), r.Actor, project, thread, body.Text)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusCreated, answered)
	})
}

// Update answers PATCH /projects/:projectId/comments/:commentId.
func Update(service *comments.Service) rest.Handler {
	type request struct {
		Text     *string `json:"text,omitempty"`
		Resolved *bool   `json:"resolved,omitempty"`
	}
	return rest.WithBody("projectId", func(w http.ResponseWriter, r *rest.Request, project core.ID, body request) error {
		comment, err := r.ID("commentId")
		if err != nil {
			return err
		}
		changed, err := service.Update(r.Context(), r.Actor, project, comment, comments.Change{Text: body.Text, Resolved: body.Resolved})
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, changed)
	})
}

// Delete answers DELETE /projects/:projectId/comments/:commentId.
func Delete(service *comments.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		comment, err := r.ID("commentId")
		if err != nil {
			return err
		}
		if err := service.Delete(r.Context(), r.Actor, project, comment); err != nil {
			return err
		}
		return rest.WriteNothing(w)
	}
}
