package core

import "slices"

// AttachmentImage is the only type of attachment that a message may have.
const AttachmentImage = "image"

// Limits of the images of a message.
const (
	MaxAttachments = 8
	// MaxImageBytes bounds one image, in bytes.
	MaxImageBytes = 5 << 20
	// MaxFrames bounds the pictures of the page that a run leaves in its chat, and MaxFrameBytes
	// each of them: without more, the agent works on unseen.
	MaxFrames     = 60
	MaxFrameBytes = 512 << 10
)

// Attachment is the record of an attachment in a run and its user.message. It has
// neither the data nor the source, because a URL may hold a secret.
type Attachment struct {
	Type string `json:"type"`
	// ID names the stored image.
	ID        ID     `json:"id"`
	MediaType string `json:"mediaType"`
	// Size is in bytes.
	Size int64 `json:"size"`
}

// RenameImages returns an event with the ids of its images replaced by names. Ids that names
// lacks are kept.
func RenameImages(payload Payload, names map[ID]ID) Payload {
	switch p := payload.(type) {
	case UserMessage:
		p.Attachments = append([]Attachment{}, renameAll(p.Attachments, names)...)
		return p
	case ToolResult:
		p.Frames = renameAll(p.Frames, names)
		return p
	case ToolError:
		p.Frames = renameAll(p.Frames, names)
		return p
	case CheckResult:
		if p.Picture != nil {
			p.Picture = &renameAll([]Attachment{*p.Picture}, names)[0]
		}
		return p
	}
	return payload
}

func renameAll(attachments []Attachment, names map[ID]ID) []Attachment {
	renamed := slices.Clone(attachments)
	for i, attachment := range renamed {
		if name, found := names[attachment.ID]; found {
			renamed[i].ID = name
		}
	}
	return renamed
}

// Image is a picture that a person showed the agent.
type Image struct {
	// MediaType is image/png, image/jpeg, image/gif or image/webp, as Data says.
	MediaType string
	Data      []byte
}
