package files

import (
	"context"
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/codeintel"
)

// question is the request of all questions about code. The questions about a whole file have no
// line and column.
type question struct {
	Path   string  `json:"path"`
	Line   int     `json:"line,omitempty"`
	Column int     `json:"column,omitempty"`
	Text   *string `json:"text,omitempty"`
}

// asked answers with what do returns for a question, as JSON.
func asked[T any](do func(ctx context.Context, by core.Actor, project core.ID, q codeintel.Question) (T, error)) rest.Handler {
	return rest.WithBody("projectId", func(w http.ResponseWriter, r *rest.Request, project core.ID, body question) error {
		q, err := body.parse()
		if err != nil {
			return err
		}
		found, err := do(r.Context(), r.Actor, project, q)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, found)
	})
}

func (q question) parse() (codeintel.Question, error) {
	path, err := core.ParsePath(q.Path)
	return codeintel.Question{Path: path, Line: q.Line, Column: q.Column, Text: q.Text}, err
}

// listed is the answer with a list of a name.
func listed[T any](name string, do func(ctx context.Context, by core.Actor, project core.ID, q codeintel.Question) ([]T, error)) rest.Handler {
	return asked(func(ctx context.Context, by core.Actor, project core.ID, q codeintel.Question) (map[string][]T, error) {
		found, err := do(ctx, by, project, q)
		return map[string][]T{name: append([]T{}, found...)}, err
	})
}

// CodeStatus answers GET /projects/:projectId/code.
func CodeStatus(code *codeintel.Service) rest.Handler {
	return rest.ByID("projectId", http.StatusOK, code.Status)
}

// Complete answers POST /projects/:projectId/code/completions.
func Complete(code *codeintel.Service) rest.Handler { return asked(code.Complete) }

// Hover answers POST /projects/:projectId/code/hover.
func Hover(code *codeintel.Service) rest.Handler { return asked(code.Hover) }

// Define answers POST /projects/:projectId/code/definition.
func Define(code *codeintel.Service) rest.Handler { return listed("locations", code.Define) }

// Diagnose answers POST /projects/:projectId/code/diagnostics.
func Diagnose(code *codeintel.Service) rest.Handler { return listed("diagnostics", code.Diagnose) }

// Format answers POST /projects/:projectId/code/format.
func Format(code *codeintel.Service) rest.Handler { return listed("edits", code.Format) }

// Describe answers POST /projects/:projectId/code/details.
func Describe(code *codeintel.Service) rest.Handler {
	type request struct {
		Path   string  `json:"path"`
		Line   int     `json:"line"`
		Column int     `json:"column"`
		Text   *string `json:"text,omitempty"`
		Label  string  `json:"label"`
		Source string  `json:"source,omitempty"`
	}
	return rest.WithBody("projectId", func(w http.ResponseWriter, r *rest.Request, project core.ID, body request) error {
		q, err := question{body.Path, body.Line, body.Column, body.Text}.parse()
		if err != nil {
			return err
		}
		found, err := code.Describe(r.Context(), r.Actor, project, q, body.Label, body.Source)
		if err != nil {
			return err
		}
		return rest.WriteJSON(w, http.StatusOK, found)
	})
}
