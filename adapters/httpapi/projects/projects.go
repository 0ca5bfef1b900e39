package projects

import (
	"net/http"
	"unicode/utf8"

	"github.com/atelierhq/atelier/adapters/httpapi/chats"
	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/core/versions"
	"github.com/atelierhq/atelier/ports/storage"
)

// Create answers POST /workspaces/:wid/projects.
func Create(creations *projects.Creations, uploads *rest.Uploads) rest.Handler {
	type request struct {
		Name     string   `json:"name"`
		Template *string  `json:"template,omitempty"`
		FolderID *core.ID `json:"folderId,omitempty"`
		Prompt   *string  `json:"prompt,omitempty"`
		Mode     *string  `json:"mode,omitempty"`
		Model    *string  `json:"model,omitempty"`
		Thinking *string  `json:"thinking,omitempty"`
		Provider *string  `json:"provider,omitempty"`
		// Attachments are images of the prompt.
		Attachments *chats.Attachments `json:"attachments,omitempty"`
		// Visibility defaults to workspace.
		Visibility *string `json:"visibility,omitempty"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		workspace, err := r.ID("wid")
		if err != nil {
			return err
		}
		if err := creations.MayCreate(r.Context(), r.Actor, workspace); err != nil {
			return err
		}
		var draft projects.Draft
		done, err := chats.ReadBody(r, uploads, func(text []byte) error {
			var asked request
			if err := rest.DecodeStrict(text, &asked); err != nil {
				return err
			}
			draft = projects.Draft{
				Name: asked.Name, Template: asked.Template, FolderID: asked.FolderID, Visibility: asked.Visibility,
				Prompt: asked.Prompt, Mode: orEmpty(asked.Mode), Model: orEmpty(asked.Model),
			}
			if draft.Thinking, err = chats.ParseThinking(orEmpty(asked.Thinking)); err != nil {
				return err
			}
			if draft.OwnProvider, err = chats.IsOwn(orEmpty(asked.Provider)); err != nil {
				return err
			}
			draft.Attachments, err = asked.Attachments.Sources(int64(len(text)))
			return err
		})
		if err != nil {
			return err
		}
		defer done()
		project, err := creations.Create(r.Context(), r.Actor, workspace, draft)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusCreated, project)
	}
}

// orEmpty is "" for nil.
func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// List answers GET /projects.
func List(catalogue *projects.Catalogue, cursors rest.Cursors) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		query, err := r.Query()
		if err != nil {
			return err
		}
		workspace, err := query.ID("workspaceId")
		if err != nil {
			return err
		}
		return writeProjects(w, r, catalogue, cursors, workspace)
	}
}

// ListOfWorkspace answers GET /workspaces/:wid/projects.
func ListOfWorkspace(catalogue *projects.Catalogue, cursors rest.Cursors) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		workspace, err := r.ID("wid")
		if err != nil {
			return err
		}
		return writeProjects(w, r, catalogue, cursors, workspace)
	}
}

func writeProjects(w http.ResponseWriter, r *rest.Request, catalogue *projects.Catalogue, cursors rest.Cursors, workspace core.ID) error {
	query, err := r.Query()
	if err != nil {
		return err
	}
	filter, err := projectFilter(query)
	if err != nil {
		return err
	}
	filter.Workspace = workspace
	list := "projects of " + string(r.Actor.UserID) + " by " + string(filter.Sort)
	page, err := cursors.Page(list, query)
	if err != nil {
		return err
	}
	limit := page.Limit
	page.Limit++
	found, err := catalogue.List(r.Context(), r.Actor, filter, page)
	if err != nil {
		return err
	}
	next := ""
	if len(found) > limit {
		found = found[:limit]
		next = cursors.Position(list, storage.PositionOf(found[limit-1].Project))
	}
	return rest.WritePage(w, found, next)
}

// maxQueryChars bounds a full-text query.
const maxQueryChars = 1000

func projectFilter(query rest.Query) (projects.Filter, error) {
	filter := projects.Filter{Query: query["q"], RootOnly: query["folderId"] == "none"}
	if utf8.RuneCountInString(filter.Query) > maxQueryChars || !utf8.ValidString(filter.Query) {
		return filter, core.Errorf(core.CodeValidationFailed, "q must have at most %d characters", maxQueryChars)
	}
	var err error
	if filter.Public, err = isPublicScope(query); err != nil {
		return filter, err
	}
	filter.Sort = core.SortCreated
	if text, present := query["sort"]; present {
		if filter.Sort, err = core.ParseProjectSort(text); err != nil {
			return filter, err
		}
	}
	if filter.Deleted, err = query.Bool("deleted"); err != nil {
		return filter, err
	}
	if !filter.RootOnly {
		if filter.Folder, err = query.ID("folderId"); err != nil {
			return filter, err
		}
	}
	if text, present := query["visibility"]; present {
		filter.Visibility, err = core.ParseVisibility(text)
	}
	return filter, err
}

// isPublicScope reports whether a list is of public projects, and not of those of the
// caller's workspaces.
func isPublicScope(query rest.Query) (bool, error) {
	text, present := query["scope"]
	switch {
	case !present || text == "member":
		return false, nil
	case text == "public":
		return true, nil
	}
	return false, core.Errorf(core.CodeValidationFailed, "scope must be member or public")
}

// EmptyTrash answers DELETE /workspaces/:wid/trash.
func EmptyTrash(trash *projects.Trash) rest.Handler {
	return rest.NothingByID("wid", trash.EmptyTrash)
}

// Get answers GET /projects/:projectId.
func Get(catalogue *projects.Catalogue) rest.Handler {
	return rest.ByID("projectId", http.StatusOK, catalogue.Get)
}

// Update answers PATCH /projects/:projectId.
func Update(catalogue *projects.Catalogue) rest.Handler {
	type request struct {
		Name        rest.Optional[string]  `json:"name,omitempty"`
		Description rest.Optional[string]  `json:"description,omitempty"`
		FolderID    rest.Optional[core.ID] `json:"folderId,omitempty"`
		Visibility  rest.Optional[string]  `json:"visibility,omitempty"`
		Slug        rest.Optional[string]  `json:"slug,omitempty"`
	}
	return rest.WithBody("projectId", func(w http.ResponseWriter, r *rest.Request, id core.ID, body request) error {
		project, err := catalogue.Change(r.Context(), r.Actor, id, projects.Patch{
			Name:        projects.Nullable[string](body.Name),
			Description: projects.Nullable[string](body.Description),
			FolderID:    projects.Nullable[core.ID](body.FolderID),
			Visibility:  projects.Nullable[string](body.Visibility),
			Slug:        projects.Nullable[string](body.Slug),
		})
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, project)
	})
}

// Delete answers DELETE /projects/:projectId.
func Delete(trash *projects.Trash) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		id, err := r.ID("projectId")
		if err != nil {
			return err
		}
		query, err := r.Query()
		if err != nil {
			return err
		}
		hard, err := query.Bool("hard")
		if err != nil {
			return err
		}
		remove := trash.Delete
		if hard {
			remove = trash.Purge
		}
		if err := remove(r.Context(), r.Actor, id); err != nil {
			return err
		}
		return rest.WriteNothing(w)
	}
}

// Restore answers POST /projects/:projectId/restore.
func Restore(trash *projects.Trash) rest.Handler {
	return rest.ByID("projectId", http.StatusOK, trash.Restore)
}

// Transfer answers POST /projects/:projectId/transfer.
func Transfer(catalogue *projects.Catalogue) rest.Handler {
	type request struct {
		WorkspaceID string `json:"workspaceId"`
	}
	return rest.WithBody("projectId", func(w http.ResponseWriter, r *rest.Request, id core.ID, body request) error {
		to, err := core.ParseID(body.WorkspaceID)
		if err != nil {
			return err
		}
		project, err := catalogue.Transfer(r.Context(), r.Actor, id, to)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, project)
	})
}

// ListTemplates answers GET /templates.
func ListTemplates(catalogue *projects.Catalogue) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		templates, err := catalogue.Templates(r.Actor)
		if err != nil {
			return err
		}
		return rest.WriteItems(w, templates)
	}
}

// ListVersions answers GET /projects/:projectId/versions. The first page says how many
// changes are in no version yet.
func ListVersions(history *projects.History, unversioned *versions.Service, cursors rest.Cursors) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		id, err := r.ID("projectId")
		if err != nil {
			return err
		}
		query, err := r.Query()
		if err != nil {
			return err
		}
		limit, err := query.Int("limit", core.DefaultPageLimit, 1, core.MaxPageLimit)
		if err != nil {
			return err
		}
		list, before := "versions of "+string(id), ""
		cursor, later := query["cursor"]
		if later {
			if before, err = cursors.Read(list, cursor); err != nil {
				return err
			}
		}
		if text, given := query["path"]; given {
			path, err := core.ParsePath(text)
			if err != nil {
				return err
			}
			next := func(version string) string { return cursors.Write(list, version) }
			return writeHistory(w, r, history, unversioned, core.FileAt{Project: id, Path: path}, historyPage{before, limit, next})
		}
		if marked, err := query.Bool("marked"); err != nil || marked {
			return writeMarked(w, r, unversioned, id, err)
		}
		found, err := history.Versions(r.Context(), r.Actor, id, before, limit+1)
		if err != nil {
			return err
		}
		var page versionPage
		if len(found) > limit {
			found = found[:limit]
			page.NextCursor = new(cursors.Write(list, found[limit-1].ID))
		}
		if page.Items, err = unversioned.Describe(r.Context(), r.Actor, id, found); err != nil {
			return err
		}
		if !later {
			count, err := unversioned.Unversioned(r.Context(), r.Actor, id)
			if err != nil {
				return err
			}
			page.Unsaved = &unsavedChanges{count}
		}
		page.Items = rest.EmptyIfNil(page.Items)
		return rest.WriteJSON(w, http.StatusOK, page)
	}
}

// versionPage is a page of versions.
type versionPage struct {
	Items      []versions.Entry `json:"items"`
	NextCursor *string          `json:"nextCursor"`
	Unsaved    *unsavedChanges  `json:"unsaved,omitempty"`
}

// unsavedChanges describes changes that are in no version yet.
type unsavedChanges struct {
	FilesChanged int `json:"filesChanged"`
}
