package modelhttp

import "github.com/atelierhq/atelier/ports/ai"

// PicturesApart moves the pictures of tools' results into a message of the user after these
// results, for vendors whose results are only text.
func PicturesApart(messages []ai.Message) []ai.Message {
	apart := make([]ai.Message, 0, len(messages))
	var pictures []ai.Image
	var tool string
	show := func() {
		if len(pictures) > 0 {
			apart = append(apart, ai.Message{Role: ai.RoleUser, Text: "The picture of " + tool + ".", Images: pictures})
		}
		pictures = nil
	}
	for _, message := range messages {
		if message.Role != ai.RoleTool {
			show()
		} else if len(message.Images) > 0 {
			pictures, tool = append(pictures, message.Images...), message.Tool
			message.Images = nil
		}
		apart = append(apart, message)
	}
	show()
	return apart
}
