package backend

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// UserHeader is the field of an answer's header that names the end user whose token the engine
// has verified, as collection/id. It is for the service, and nobody else gets it.
const UserHeader = "Atelier-User"

// Refuse answers with a refusal that PocketBase does not make itself: in its form, and with the code
// of the service beside it as "error".
func Refuse(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(struct {
		Status  int       `json:"status"`
		Message string    `json:"message"`
		Data    struct{}  `json:"data"`
		Error   core.Code `json:"error"`
	}{Status: status, Message: message, Error: refusalCode(status)})
}

func refusalCode(status int) core.Code {
	switch status {
	case http.StatusNotFound:
		return core.CodeNotFound
	case http.StatusRequestEntityTooLarge:
		return core.CodePayloadTooLarge
	case http.StatusTooManyRequests:
		return core.CodeRateLimited
	case http.StatusServiceUnavailable:
		return core.CodeUnavailable
	case http.StatusInternalServerError:
		return core.CodeInternal
	}
	return core.CodeInvalidRequest
}

// vague begins PocketBase's refusal of what it does not understand.
const vague = "Something went wrong while processing your request. "

// RefusalText returns what a refusal in PocketBase's form says: its message, and those of the
// fields. It returns "" for a body of another form.
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
