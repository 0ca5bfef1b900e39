package backend

import (
	"errors"
	"net/http"

	"github.com/atelierhq/atelier/adapters/memory/backend/records"
	"github.com/atelierhq/atelier/core"
)

// failure is an answer with an error, in PocketBase's form.
type failure struct {
	status  int
	message string
	data    map[string]any
}

// Error implements error.
func (f *failure) Error() string { return f.message }

// refusal is a failure without data.
func refusal(status int, message string) error {
	return &failure{status: status, message: message, data: map[string]any{}}
}

func errMissing() error { return refusal(http.StatusNotFound, "The requested resource wasn't found.") }

func errMembers() error {
	return refusal(http.StatusForbidden, "Only superusers can perform this action.")
}

func errReadOnly() error { return refusal(http.StatusBadRequest, "Unsupported collection type.") }

func errNoUser() error {
	return refusal(http.StatusUnauthorized, "The request requires valid record authorization token.")
}

// flawed is the error of a body with wrong members.
func flawed(flaws map[string]*records.Flaw) error {
	return &records.Invalid{Message: "An error occurred while validating the submitted data.", Flaws: flaws}
}

// asFailure turns errors for which the request is to blame into answers, and returns others as they
// are.
func asFailure(err error) error {
	var invalid *records.Invalid
	switch {
	case core.IsCode(err, core.CodeNotFound):
		return errMissing()
	case errors.As(err, &invalid):
		data := make(map[string]any, len(invalid.Flaws))
		for name, one := range invalid.Flaws {
			data[name] = map[string]any{"code": one.Code, "message": one.Message}
		}
		return &failure{status: http.StatusBadRequest, message: invalid.Message, data: data}
	case core.IsCode(err, core.CodeValidationFailed):
		return refusal(http.StatusBadRequest, "Something went wrong while processing your request. "+records.Sentence(err))
	}
	return err
}

// fail answers with an error in PocketBase's form.
func fail(w http.ResponseWriter, err error) {
	var known *failure
	if !errors.As(asFailure(err), &known) {
		known = &failure{status: http.StatusServiceUnavailable, message: "The data is not available at the moment. Try again.", data: map[string]any{}}
		if core.IsCode(err, core.CodePayloadTooLarge) {
			known.status, known.message = http.StatusRequestEntityTooLarge, err.Error()
		}
	}
	if w.Header().Get("Retry-After") == "" && (known.status == http.StatusServiceUnavailable || known.status == http.StatusTooManyRequests) {
		w.Header().Set("Retry-After", "1")
	}
	_ = send(w, known.status, map[string]any{"status": known.status, "message": known.message, "data": known.data})
}
