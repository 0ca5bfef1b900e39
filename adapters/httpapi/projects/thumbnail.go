package projects

import (
	"bytes"
	"net/http"
	"strconv"
	"time"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core/thumbnails"
)

// GetThumbnail answers GET /projects/:projectId/thumbnail.
func GetThumbnail(service *thumbnails.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		id, err := r.ID("projectId")
		if err != nil {
			return err
		}
		thumbnail, err := service.Get(r.Context(), r.Actor, id)
		if err != nil {
			return err
		}
		header := w.Header()
		header.Set("Content-Type", "image/png")
		header.Set("Cache-Control", "private, no-cache")
		header.Set("Etag", `"`+strconv.FormatInt(int64(thumbnail.TakenAt), 36)+`"`)
		return rest.ServeContent(w, r, thumbnail.TakenAt.Std(), bytes.NewReader(thumbnail.PNG))
	}
}

// RenewThumbnail answers POST /projects/:projectId/thumbnail. The picture is taken after
// the answer.
func RenewThumbnail(service *thumbnails.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		id, err := r.ID("projectId")
		if err != nil {
			return err
		}
		if err := service.Renew(r.Context(), r.Actor, id); err != nil {
			return err
		}
		w.WriteHeader(http.StatusAccepted)
		return nil
	}
}

// GetCard answers GET /projects/:projectId/card.
func GetCard(service *thumbnails.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		id, err := r.ID("projectId")
		if err != nil {
			return err
		}
		card, err := service.Card(r.Context(), r.Actor, id)
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", "image/svg+xml")
		w.Header().Set("Cache-Control", "private, no-cache")
		return rest.ServeContent(w, r, time.Time{}, bytes.NewReader(card))
	}
}
