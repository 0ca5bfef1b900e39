package rest

import (
	"context"
	"net/http"

	"github.com/atelierhq/atelier/core"
)

// ItemsByID answers 200 with a complete list of what belongs to a record, whose id is a parameter
// of the path.
func ItemsByID[T any](param string, list func(ctx context.Context, by core.Actor, id core.ID) ([]T, error)) Handler {
	return func(w http.ResponseWriter, r *Request) error {
		id, err := r.ID(param)
		if err != nil {
			return err
		}
		items, err := list(r.Context(), r.Actor, id)
		if err != nil {
			return err
		}
		return WriteItems(w, items)
	}
}

// ByID answers with status and what do returns, as JSON, for the record whose id is a parameter of
// the path.
func ByID[T any](param string, status int, do func(ctx context.Context, by core.Actor, id core.ID) (T, error)) Handler {
	return func(w http.ResponseWriter, r *Request) error {
		id, err := r.ID(param)
		if err != nil {
			return err
		}
		found, err := do(r.Context(), r.Actor, id)
		if err != nil {
			return err
		}
		return WriteJSON(w, status, found)
	}
}

// NothingByID answers 204 when do has succeeded with the record whose id is a parameter of the path.
func NothingByID(param string, do func(ctx context.Context, by core.Actor, id core.ID) error) Handler {
	return func(w http.ResponseWriter, r *Request) error {
		id, err := r.ID(param)
		if err != nil {
			return err
		}
		if err := do(r.Context(), r.Actor, id); err != nil {
			return err
		}
		return WriteNothing(w)
	}
}

// WithBody hands to handle the record's id, which is a parameter of the path, and the body, decoded
// by Request.Decode.
func WithBody[B any](param string, handle func(w http.ResponseWriter, r *Request, id core.ID, body B) error) Handler {
	return func(w http.ResponseWriter, r *Request) error {
		id, err := r.ID(param)
		if err != nil {
			return err
		}
		var body B
		if err := r.Decode(&body); err != nil {
			return err
		}
		return handle(w, r, id, body)
	}
}
