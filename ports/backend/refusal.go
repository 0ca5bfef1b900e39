package backend

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// UserHeader is the field of an answer's header that names the end user whose token the engine
// has verified, as collection/id. It is for the service, and nobody else gets it.
const UserHeader = "Atelier-User"

// vague begins PocketBase's refusal of what it does not understand.
const vague = "Something went wrong while processing your request. "

// RefusalText returns what a refusal in PocketBase's form says: its message, and those of the
// fields. It returns "" for a body that is none.
func RefusalText(body []byte) string {
	var refusal struct {
		Message string `json:"message"`
		Data    map[string]struct {
			Message string `json:"message"`
		} `json:"data"`
	}
	if json.Unmarshal(body, &refusal) != nil {
		return ""
	}
	text := strings.TrimSuffix(strings.TrimPrefix(refusal.Message, vague), ".")
	for _, field := range slices.Sorted(maps.Keys(refusal.Data)) {
		text += "; " + field + ": " + strings.TrimSuffix(refusal.Data[field].Message, ".")
	}
	return text
}
