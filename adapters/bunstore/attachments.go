package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

type attachmentRow struct {
	bun.BaseModel `bun:"table:attachments,alias:at"`
	ID            core.ID
	RunID         core.ID
	MediaType     string
	Data          []byte
}

type attachments struct{ session }

// Create implements storage.Attachments.
func (a attachments) Create(ctx context.Context, run, id core.ID, image core.Image) error {
	row := attachmentRow{ID: id, RunID: run, MediaType: image.MediaType, Data: image.Data}
	if err := storage.CheckText(row); err != nil {
		return err
	}
	return insert(ctx, a.session, "attachment", &row)
}

// ByID implements storage.Attachments.
func (a attachments) ByID(ctx context.Context, id core.ID) (core.Image, error) {
	row, err := find[attachmentRow](ctx, a.session, "attachment", "id", string(id))
	return core.Image{MediaType: row.MediaType, Data: row.Data}, err
}
