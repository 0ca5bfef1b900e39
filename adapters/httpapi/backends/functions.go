package backends

import (
	"net/http"
	"unicode/utf8"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core/functions"
)

// maxShownBytes bounds what is shown of a function's answer.
const maxShownBytes = 256 << 10

// trial is what came of trying a function.
type trial struct {
	Status      int    `json:"status"`
	ContentType string `json:"contentType"`
	// Body is the text of the answer, or its beginning; Bytes is the size of all of it.
	Body    string        `json:"body"`
	Bytes   int           `json:"bytes"`
	Millis  int64         `json:"ms"`
	Error   string        `json:"error"`
	Console []consoleLine `json:"console"`
}

// consoleLine is what a function wrote to its console.
type consoleLine struct {
	Level string `json:"level"`
	Text  string `json:"text"`
}

// ListFunctions answers GET /projects/:projectId/backend/:env/functions.
func ListFunctions(service *functions.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		at, err := placeOf(r)
		if err != nil {
			return err
		}
		found, err := service.List(r.Context(), r.Actor, at)
		if err != nil {
			return err
		}
		return rest.WriteItems(w, found)
	}
}

// TryFunction answers POST /projects/:projectId/backend/test/functions/:name with the answer of the
// function, or with why it failed.
func TryFunction(service *functions.Service) rest.Handler {
	type request struct {
		Method      string `json:"method"`
		Path        string `json:"path,omitempty"`
		ContentType string `json:"contentType,omitempty"`
		Body        string `json:"body,omitempty"`
	}
	return func(w http.ResponseWriter, r *rest.Request) error {
		project, err := r.ID("projectId")
		if err != nil {
			return err
		}
		var body request
		if err := r.Decode(&body); err != nil {
			return err
		}
		tried, err := service.Try(r.Context(), r.Actor, project, r.Param("name"), functions.TrialRequest(body))
		if err != nil {
			return err
		}
		answer, console := tried.Response, []consoleLine{}
		for _, line := range tried.Run.Console {
			console = append(console, consoleLine(line))
		}
		return rest.WriteJSON(w, http.StatusOK, trial{
			Status: tried.Run.Status, ContentType: answer.Header.Get("Content-Type"), Body: shown(answer.Body), Bytes: len(answer.Body),
			Millis: tried.Run.Millis, Error: tried.Run.Error, Console: console,
		})
	}
}

// shown is the beginning of a body that is text, "" for a binary one.
func shown(body []byte) string {
	if len(body) > maxShownBytes {
		body = body[:maxShownBytes]
		// The last character may have been cut.
		for cut := 1; cut < utf8.UTFMax && !utf8.Valid(body); cut++ {
			body = body[:len(body)-1]
		}
	}
	if !utf8.Valid(body) {
		return ""
	}
	return string(body)
}
