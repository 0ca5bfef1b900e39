package backend

import (
	"errors"
	"net/http"

	"github.com/atelierhq/atelier/adapters/memory/backend/records"
	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/backend"
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

// fail answers with an error of a request in PocketBase's form, and with others as a service does.
func fail(w http.ResponseWriter, err error) {
	var known *failure
	if !errors.As(asFailure(err), &known) {
		failService(w, err)
		return
	}
	_ = send(w, known.status, map[string]any{"status": known.status, "message": known.message, "data": known.data})
}

// failService answers with an error that PocketBase does not have.
func failService(w http.ResponseWriter, err error) {
	status, message := http.StatusServiceUnavailable, "The data is not available at the moment. Try again."
	var limit *core.Error
	switch code := core.CodeOf(err); {
	case code == core.CodeNotFound:
		status, message = http.StatusNotFound, errMissing().Error()
	case code == core.CodePayloadTooLarge && errors.As(err, &limit):
		status, message = http.StatusRequestEntityTooLarge, records.Sentence(errors.New(limit.Message))
	case code == core.CodeRateLimited && errors.As(err, &limit):
		status, message = http.StatusTooManyRequests, records.Sentence(errors.New(limit.Message))
	}
	if w.Header().Get("Retry-After") == "" && (status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests) {
		w.Header().Set("Retry-After", "1")
	}
	port.Refuse(w, status, message)
}
