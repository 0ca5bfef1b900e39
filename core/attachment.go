package core

// AttachmentImage is the one type of attachment that a message may have.
const AttachmentImage = "image"

// Limits of the images of a message (contract, section 6).
const (
	MaxAttachments = 8
	// MaxImageBytes bounds one image, in bytes.
	MaxImageBytes = 5 << 20
)

// Attachment is what a run and its user.message keep of an attachment: never its
// data, and never where it came from, because a URL may hold a secret.
type Attachment struct {
	Type string `json:"type"`
	// ID names the stored image.
	ID        ID     `json:"id"`
	MediaType string `json:"mediaType"`
	// Size is in bytes.
	Size int64 `json:"size"`
}

// RenameAttachments returns attachments under the ids that names has for theirs; the
// others keep theirs.
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
