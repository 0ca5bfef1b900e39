package datawire

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Headers that the service sets on requests of end users.
const (
	headerPlace  = "Atelier-Place"
	headerAs     = "Atelier-As"
	headerClient = "Atelier-Client"
	// headerTenant is on calls, too: whose turn it is (core/fair).
	headerTenant = "Atelier-Tenant"
)

// encodePlace writes a place as the value of a header. No part of one has a slash.
func encodePlace(place backend.Place) string {
	return string(place.Project) + "/" + string(place.Env) + "/" + string(place.Copy)
}

func decodePlace(text string) (backend.Place, error) {
	parts := strings.Split(text, "/")
	if len(parts) != 3 {
		return backend.Place{}, errors.New("it is no place")
	}
	return backend.Place{Project: core.ID(parts[0]), Env: core.DataEnv(parts[1]), Copy: core.ID(parts[2])}, nil
}

// callPath begins the paths of the port's calls.
const callPath = "/call/"

// call is the input of a call. Each method uses some of the members.
type call struct {
	Place, To backend.Place
	Schema    backend.Schema
	Changes   []backend.Change
	SQL       string
	ID        core.ID
	Switch    backend.Switch
	Keep      bool
	Token     int64
	// Collection is a name, List says which records to return.
	Collection string
	Insertion  backend.Insertion
	List       backend.RecordQuery
}

// reply is the output of a call.
type reply struct {
	Schema backend.Schema
	Counts []int64
	Table  backend.Table
	Stats  stats
	Bytes  int64
	Switch backend.Switch
	Page   backend.RecordPage
	Load   backend.Load
	// Changed counts records.
	Changed int
}

// stats is backend.Stats with all of its fields.
type stats struct {
	backend.Stats
	ByCollection map[string]int64
}

// failure is an error in a message.
type failure struct {
	Code    core.Code
	Message string
	// Cause is for the service's log.
	Cause   string
	Problem *backend.Problem
	Refused *backend.RefusedRecords
}

func failureOf(err error) failure {
	f := failure{Code: core.CodeOf(err), Cause: err.Error()}
	var known *core.Error
	if errors.As(err, &known) {
		f.Message = known.Message
	}
	errors.As(err, &f.Problem)
	errors.As(err, &f.Refused)
	return f
}

func (f failure) error() error {
	if f.Problem != nil {
		return f.Problem
	}
	if f.Refused != nil {
		return f.Refused
	}
	code := f.Code
	if code == core.CodeInternal || code == "" {
		code = core.CodeUnavailable
	}
	message := f.Message
	if message == "" {
		message = "the backend is not available"
	}
	return core.Wrap(code, errors.New(f.Cause), "%s", message)
}

// SendError answers a call with an error.
func SendError(w http.ResponseWriter, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusUnprocessableEntity)
	_ = json.NewEncoder(w).Encode(failureOf(err))
}

// maxErrorBytes bounds what is read of an error. A backend.RefusedRecords is the largest.
const maxErrorBytes = 512 << 10

// ErrorOf returns the error of an answer, nil if it has none.
func ErrorOf(answer *http.Response) error {
	if answer.StatusCode == http.StatusOK {
		return nil
	}
	var f failure
	if err := json.NewDecoder(io.LimitReader(answer.Body, maxErrorBytes)).Decode(&f); err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the backend is not available")
	}
	return f.error()
}
