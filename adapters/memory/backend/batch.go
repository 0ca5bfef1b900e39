package backend

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/adapters/memory/backend/records"
	"github.com/atelierhq/atelier/adapters/memory/backend/rules"
)

// maxBatch bounds the requests of a batch.
const maxBatch = 50

// batchRequest is a request in a batch.
type batchRequest struct {
	Method string         `json:"method"`
	URL    string         `json:"url"`
	Body   map[string]any `json:"body"`
}

// batch carries out several writes, all or none.
func (r *request) batch() (any, error) {
	var requests []batchRequest
	text, err := json.Marshal(r.Body["requests"])
	if err == nil {
		err = json.Unmarshal(text, &requests)
	}
	if err != nil || len(requests) == 0 || len(requests) > maxBatch {
		return nil, &records.Invalid{Message: "Invalid batch request data.", Flaws: map[string]*records.Flaw{"requests": records.FlawRequired}}
	}
	results := make([]any, len(requests))
	err = r.commit(func(tx *records.Transaction) error {
		for i, one := range requests {
			result, err := r.part(tx, i, one)
			if err != nil {
				return batchFailure(i, asFailure(err))
			}
			results[i] = result
		}
		return nil
	})
	return results, err
}

// batchFailure says which request of a batch failed, and why.
func batchFailure(i int, err error) error {
	var known *failure
	if !errors.As(err, &known) {
		return err
	}
	return &failure{status: http.StatusBadRequest, message: "Batch transaction failed.", data: map[string]any{
		"requests": map[string]any{strconv.Itoa(i): map[string]any{
			"code": "batch_request_failed", "message": "Batch request failed.",
			"response": map[string]any{"status": known.status, "message": known.message, "data": known.data},
		}},
	}}
}

// part carries out one request of a batch.
func (r *request) part(tx *records.Transaction, i int, one batchRequest) (any, error) {
	target, err := url.Parse(one.URL)
	if err != nil {
		return nil, errMissing()
	}
	body := maps.Clone(one.Body)
	if body == nil {
		body = make(map[string]any)
	}
	as := &request{
		Request: rules.Request{Context: "batch", Method: one.Method, Query: firstOf(target.Query()), Headers: r.Headers, Body: body, Auth: r.Auth},
		files:   r.files.ofPart(i), set: r.set, state: tx.State, tx: tx, owner: r.owner,
	}
	parts := strings.Split(strings.TrimPrefix(target.Path, "/api/"), "/")
	if one.Method == http.MethodPut && len(parts) == 3 {
		as.Method = http.MethodPost
		if as.exists(parts[1], as.text("id")) {
			as.Method, parts = http.MethodPatch, append(parts, as.text("id"))
		}
	}
	if !routed(as.Method, parts) || as.Method == http.MethodGet || parts[0] != "collections" || parts[2] != "records" {
		return nil, refusal(http.StatusBadRequest, "Unknown batch request action.")
	}
	answer, err := as.answer(context.Background(), parts)
	if err != nil {
		return nil, err
	}
	if answer == nil {
		return map[string]any{"status": http.StatusNoContent, "body": nil}, nil
	}
	return map[string]any{"status": http.StatusOK, "body": picked(answer, as.Query["fields"])}, nil
}

// exists reports whether a collection has a record.
func (r *request) exists(collection, id string) bool {
	c := r.state.Collection(collection)
	if c == nil {
		return false
	}
	_, ok := r.state.Find(c, id)
	return ok
}
