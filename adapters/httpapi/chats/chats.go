package chats

import (
	"bytes"
	"net/http"
	"time"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/chat"
)

// List answers GET /projects/:projectId/chats.
func List(chats *chat.Chats) rest.Handler {
	return rest.ItemsByID("projectId", chats.List)
}

// Create answers POST /projects/:projectId/chats.
func Create(chats *chat.Chats) rest.Handler {
	type request struct {
		Mode  string  `json:"mode"`
		Title *string `json:"title,omitempty"`
	}
	return rest.WithBody("projectId", func(w http.ResponseWriter, r *rest.Request, project core.ID, body request) error {
		created, err := chats.Create(r.Context(), r.Actor, project, chat.NewChat{Mode: body.Mode, Title: body.Title})
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusCreated, created)
	})
}

// Update answers PATCH /projects/:projectId/chats/:chatId.
func Update(chats *chat.Chats) rest.Handler {
	type request struct {
		Title *string `json:"title,omitempty"`
		Mode  *string `json:"mode,omitempty"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, id, err := chatParams(r)
		if err != nil {
			return err
		}
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		updated, err := chats.Update(r.Context(), r.Actor, project, id, chat.Changes{Title: body.Title, Mode: body.Mode})
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, updated)
	}
}

// Delete answers DELETE /projects/:projectId/chats/:chatId.
func Delete(chats *chat.Chats) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, id, err := chatParams(r)
		if err != nil {
			return err
		}
		if err := chats.Delete(r.Context(), r.Actor, project, id); err != nil {
			return err
		}
		return rest.WriteNothing(w)
	}
}

// Attachment answers GET /projects/:projectId/chats/:chatId/attachments/:attachmentId with an image
// of a message, which never changes.
func Attachment(chats *chat.Chats) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, id, err := chatParams(r)
		if err != nil {
			return err
		}
		attachment, err := r.ID("attachmentId")
		if err != nil {
			return err
		}
		image, err := chats.Attachment(r.Context(), r.Actor, project, id, attachment)
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", image.MediaType)
		w.Header().Set("Cache-Control", "private, max-age=86400, immutable")
		return rest.ServeContent(w, r, time.Time{}, bytes.NewReader(image.Data))
	}
}

func chatParams(r *rest.Request) (project, id core.ID, err error) {
	if project, err = r.ID("projectId"); err != nil {
		return "", "", err
	}
	id, err = r.ID("chatId")
	return project, id, err
}
