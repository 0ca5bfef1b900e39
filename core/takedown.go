package core

import "strings"

// Takedown says that an admin of the installation took a published site down. Visitors see a notice
// with the reason until it is lifted, whatever the project publishes meanwhile.
type Takedown struct {
	ProjectID ID `json:"projectId"`
	// Slug is the site's address when it was taken down.
	Slug string `json:"slug"`
	// Reason is for visitors and the owners, in an admin's words.
	Reason    string `json:"reason"`
	TakenBy   ID     `json:"takenBy"`
	CreatedAt Time   `json:"createdAt"`
}

// MaxTakedownReasonChars bounds Takedown.Reason.
const MaxTakedownReasonChars = 300

// CheckTakedownReason returns a reason without spaces around it. One that is empty or too long has code
// CodeValidationFailed.
func CheckTakedownReason(text string) (string, error) {
	reason := strings.TrimSpace(text)
	if chars := len([]rune(reason)); chars == 0 || chars > MaxTakedownReasonChars {
		return "", Errorf(CodeValidationFailed, "reason must have 1 to %d characters", MaxTakedownReasonChars)
	}
	return reason, nil
}
