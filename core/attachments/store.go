package attachments

import (
	"context"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/storage"
)

// Describe describes the images of a message.
func Describe(images []core.Image) []core.Attachment {
	var attached []core.Attachment
	for _, image := range images {
		attached = append(attached, core.Attachment{
			Type: core.AttachmentImage, ID: core.NewID(), MediaType: image.MediaType, Size: int64(len(image.Data)),
		})
	}
	return attached
}

// Store stores the images of a run, which its attachments name.
func Store(ctx context.Context, tables storage.Tables, run core.Run, images []core.Image) error {
	for i, image := range images {
		if err := tables.Attachments.Create(ctx, run.ID, run.Attachments[i].ID, image); err != nil {
			return err
		}
	}
	return nil
}
