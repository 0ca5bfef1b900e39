package core

// AttachmentImage is the only type of attachment that a message may have.
const AttachmentImage = "image"

// Limits of the images of a message (contract, section 6).
const (
	MaxAttachments = 8
	// MaxImageBytes bounds one image, in bytes.
	MaxImageBytes = 5 << 20
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

// RenameAttachments returns attachments with their ids replaced by names; ids that
// names lacks are kept.
func RenameAttachments(attachments []Attachment, names map[ID]ID) []Attachment {
	renamed := append([]Attachment{}, attachments...)
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
