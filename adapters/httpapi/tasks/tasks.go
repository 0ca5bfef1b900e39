package tasks

import (
	"context"
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/chats"
	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/tasks"
)

// List answers GET /projects/:projectId/tasks.
func List(board *tasks.Board) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		items, err := board.List(r.Context(), r.Actor, project)
		if err != nil {
			return err
		}
		return rest.WriteItems(w, items)
	}
}

// Create answers POST /projects/:projectId/tasks when the copy is made and the message is queued.
func Create(board *tasks.Board, uploads *rest.Uploads) rest.Handler {
	type request struct {
		Content     string             `json:"content"`
		Title       string             `json:"title,omitempty"`
		Mode        string             `json:"mode,omitempty"`
		Model       string             `json:"model,omitempty"`
		Attachments *chats.Attachments `json:"attachments,omitempty"`
		References  *chats.References  `json:"references,omitempty"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		if err := board.MayBegin(r.Context(), r.Actor, project); err != nil {
			return err
		}
		var draft tasks.Draft
		done, err := chats.ReadBody(r, uploads, func(text []byte) error {
			var asked request
			if err := rest.DecodeStrict(text, &asked); err != nil {
				return err
			}
			draft = tasks.Draft{Content: asked.Content, Title: asked.Title, Mode: asked.Mode, Model: asked.Model, References: asked.References.All()}
			draft.Attachments, err = asked.Attachments.Sources(int64(len(text)))
			return err
		})
		if err != nil {
			return err
		}
		defer done()
		task, err := board.Begin(r.Context(), r.Actor, project, draft)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusCreated, task)
	}
}

// Get answers GET /projects/:projectId/tasks/:taskId.
func Get(board *tasks.Board) rest.Handler { return one(board.Get) }

// Merge answers POST /projects/:projectId/tasks/:taskId/merge when the version is made.
func Merge(board *tasks.Board) rest.Handler {
	type request struct {
		IgnoreChecks bool `json:"ignoreChecks,omitempty"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		var asked request
		if r.HasBody() {
			if err := r.Decode(&asked); err != nil {
				return err
			}
		}
		return one(func(ctx context.Context, by core.Actor, project, task core.ID) (tasks.View, error) {
			return board.Merge(ctx, by, project, task, asked.IgnoreChecks)
		})(w, r)
	}
}

// Resolve answers POST /projects/:projectId/tasks/:taskId/resolve when the copy has the project's
// present files.
func Resolve(board *tasks.Board) rest.Handler {
	type request struct {
		By string `json:"by"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		var asked request
		if err := r.Decode(&asked); err != nil {
			return err
		}
		return one(func(ctx context.Context, by core.Actor, project, task core.ID) (tasks.View, error) {
			return board.Resolve(ctx, by, project, task, asked.By)
		})(w, r)
	}
}

// Discard answers DELETE /projects/:projectId/tasks/:taskId.
func Discard(board *tasks.Board) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, task, err := ids(r)
		if err != nil {
			return err
		}
		if err := board.Discard(r.Context(), r.Actor, project, task); err != nil {
			return err
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
}

// one answers with a task.
func one(do func(ctx context.Context, by core.Actor, project, task core.ID) (tasks.View, error)) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, task, err := ids(r)
		if err != nil {
			return err
		}
		view, err := do(r.Context(), r.Actor, project, task)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, view)
	}
}

// ids returns the project and the task that a request names.
func ids(r *rest.Request) (project, task core.ID, err error) {
	if project, err = r.ID("projectId"); err == nil {
		task, err = r.ID("taskId")
	}
	return project, task, err
}
