package chat

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// Bounds of the images that the model is shown: those of earlier messages together
// with those of the newest message that has any, which are always shown.
const (
	maxShownMessages = 10
	maxShownBytes    = 20 << 20
)

// images returns the images of a chat's log that the model is shown, by the seq of
// their user.message. If the model cannot see, it returns core.CodeModelUnavailable
// if the last message has images, and leaves out those of earlier messages.
func (x *execution) images(ctx context.Context, choice Choice, history []core.Event) (map[int64][]ai.Image, error) {
	shown := shownMessages(history)
	if len(shown) == 0 {
		return nil, nil
	}
	if isBlind(ctx, choice) {
		if last := lastMessage(history); len(last.Attachments) > 0 {
			return nil, core.Errorf(core.CodeModelUnavailable,
				"the model %s cannot see images: choose another model or send the message without images", choice.Model)
		}
		return nil, nil
	}
	images := map[int64][]ai.Image{}
	for _, event := range shown {
		for _, attached := range event.Payload.(core.UserMessage).Attachments {
			image, err := x.store.Tables().Attachments.ByID(ctx, attached.ID)
			if core.IsCode(err, core.CodeNotFound) {
				continue
			}
			if err != nil {
				return nil, err
			}
			images[event.Seq] = append(images[event.Seq], ai.Image(image))
		}
	}
	return images, nil
}

// shownMessages returns the newest messages with images, the newest first, within
// the bounds.
func shownMessages(history []core.Event) []core.Event {
	var shown []core.Event
	var total int64
	for _, event := range slices.Backward(history) {
		message, isMessage := event.Payload.(core.UserMessage)
		if !isMessage || len(message.Attachments) == 0 {
			continue
		}
		for _, attached := range message.Attachments {
			total += attached.Size
		}
		if len(shown) == maxShownMessages || len(shown) > 0 && total > maxShownBytes {
			break
		}
		shown = append(shown, event)
	}
	return shown
}

// lastMessage returns the user's last message, which the run answers.
func lastMessage(history []core.Event) core.UserMessage {
	for _, event := range slices.Backward(history) {
		if message, isMessage := event.Payload.(core.UserMessage); isMessage {
			return message
		}
	}
	return core.UserMessage{}
}

// visionPatience is how long a provider may take to report what its models can do.
const visionPatience = 10 * time.Second

// isBlind reports whether the stored capabilities or the provider say that the
// model cannot see. If nothing is known, the vendor's own refusal decides.
func isBlind(ctx context.Context, choice Choice) bool {
	if known := choice.Capabilities; known.Dialect != "" && !known.Vision {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, visionPatience)
	defer cancel()
	models, err := choice.Provider.Models(ctx)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(models, func(model core.Model) bool {
		return (model.ID == choice.Model || model.ID == choice.Model+":latest") && !model.Vision
	})
}

// reel holds the frames that a run has filmed. A run films from one goroutine at a time.
type reel struct {
	kept int
	last []byte
	as   *core.Attachment
}

// film returns a function that stores pictures of at most this many bytes beside the images of the
// run's message, and returns nil for those that it does not keep. A picture like the one before is
// stored once.
func (x *execution) film(most int) func(ctx context.Context, png []byte) *core.Attachment {
	return func(ctx context.Context, png []byte) *core.Attachment {
		if x.reel.as != nil && bytes.Equal(png, x.reel.last) {
			return x.reel.as
		}
		if len(png) > most || x.reel.kept >= core.MaxFrames {
			return nil
		}
		frame := &core.Attachment{Type: core.AttachmentImage, ID: core.NewID(), MediaType: "image/png", Size: int64(len(png))}
		if err := x.store.Tables().Attachments.Create(ctx, x.run.ID, frame.ID, core.Image{MediaType: frame.MediaType, Data: png}); err != nil {
			x.log.WarnContext(ctx, "could not keep a picture of what a run sees", "run", x.run.ID, "error", err)
			return nil
		}
		x.reel = reel{kept: x.reel.kept + 1, last: png, as: frame}
		return frame
	}
}
