// Package remotes has the handlers of the connections of projects with repositories on other hosts.
package remotes

import (
	"net/http"
	"net/url"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/gitsync"
)

// Show answers GET /projects/:projectId/remote.
func Show(service *gitsync.Service) rest.Handler {
	return ofProject(func(w http.ResponseWriter, r *rest.Request, project core.ID) error {
		remote, err := service.Get(r.Context(), r.Actor, project)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, remote)
	})
}

func ofProject(handle func(w http.ResponseWriter, r *rest.Request, project core.ID) error) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		return handle(w, r, project)
	}
}

// Connect answers PUT /projects/:projectId/remote. appURL begins the address of the webhook.
func Connect(service *gitsync.Service, appURL *url.URL) rest.Handler {
	type request struct {
		URL      string  `json:"url"`
		Branch   string  `json:"branch,omitempty"`
		Username string  `json:"username,omitempty"`
		Token    *string `json:"token,omitempty"`
	}
	return rest.WithBody("projectId", func(w http.ResponseWriter, r *rest.Request, project core.ID, body request) error {
		remote, err := service.Connect(r.Context(), r.Actor, project, gitsync.Input(body))
		if err != nil {
			return err
		}
		remote.Hook.URL = appURL.JoinPath("hooks", "git", remote.Hook.Token).String()
		return rest.WriteJSON(w, http.StatusOK, remote)
	})
}

// Disconnect answers DELETE /projects/:projectId/remote.
func Disconnect(service *gitsync.Service) rest.Handler {
	return ofProject(func(w http.ResponseWriter, r *rest.Request, project core.ID) error {
		if err := service.Disconnect(r.Context(), r.Actor, project); err != nil {
			return err
		}
		return rest.WriteNothing(w)
	})
}

// Sync answers POST /projects/:projectId/remote/sync.
func Sync(service *gitsync.Service) rest.Handler {
	return ofProject(func(w http.ResponseWriter, r *rest.Request, project core.ID) error {
		remote, err := service.Sync(r.Context(), r.Actor, project)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusAccepted, remote)
	})
}

// Conflicts answers GET /projects/:projectId/remote/conflicts.
func Conflicts(service *gitsync.Service) rest.Handler {
	return ofProject(func(w http.ResponseWriter, r *rest.Request, project core.ID) error {
		found, err := service.Conflicts(r.Context(), r.Actor, project)
		if err != nil {
			return err
		}
		return rest.WriteItems(w, found)
	})
}

// Settle answers POST /projects/:projectId/remote/resolve.
func Settle(service *gitsync.Service) rest.Handler {
	type settlement struct {
		Path string       `json:"path"`
		ID   string       `json:"id"`
		Take gitsync.Take `json:"take"`
		Text string       `json:"text,omitempty"`
	}
	type request struct {
		Files []settlement `json:"files,omitempty"`
		Agent bool         `json:"agent,omitempty"`
	}
	return rest.WithBody("projectId", func(w http.ResponseWriter, r *rest.Request, project core.ID, body request) error {
		var remote gitsync.Connection
		var err error
		if body.Agent {
			remote, err = service.Delegate(r.Context(), r.Actor, project)
		} else {
			settlements := make([]gitsync.Settlement, len(body.Files))
			for i, one := range body.Files {
				settlements[i] = gitsync.Settlement(one)
			}
			remote, err = service.Settle(r.Context(), r.Actor, project, settlements)
		}
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, remote)
	})
}

// Call answers POST /hooks/git/:token.
func Call(service *gitsync.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		err := service.Call(r.Context(), gitsync.Call{
			Token: r.Param("token"), Body: r.Body, Secret: r.Header.Get("X-Gitlab-Token"),
			Signatures: []string{r.Header.Get("X-Hub-Signature-256"), r.Header.Get("X-Gitea-Signature"), r.Header.Get("X-Forgejo-Signature")},
		})
		if err != nil {
			return err
		}
		return rest.WriteNothing(w)
	}
}
