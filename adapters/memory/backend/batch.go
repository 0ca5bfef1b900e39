package backend

import (
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// maxBatch bounds the requests of a batch.
const maxBatch = 50

// batched is a request in a batch.
type batched struct {
	Method string         `json:"method"`
	URL    string         `json:"url"`
	Body   map[string]any `json:"body"`
}

// batch carries out several writes, all or none.
func (r *request) batch() (any, error) {
	var requests []batched
	text, err := json.Marshal(r.body["requests"])
	if err == nil {
		err = json.Unmarshal(text, &requests)
	}
	if err != nil || len(requests) == 0 || len(requests) > maxBatch {
		return nil, flawed("Invalid batch request data.", map[string]*flaw{"requests": flawRequired})
	}
	results := make([]any, len(requests))
	err = r.commit(func(tx *transaction) error {
		for i, one := range requests {
			result, err := r.part(tx, i, one)
			if err != nil {
				return batchFailure(i, asRefusal(err))
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
func (r *request) part(tx *transaction, i int, one batched) (any, error) {
	target, err := url.Parse(one.URL)
	if err != nil {
		return nil, errMissing()
	}
	parts := strings.Split(strings.TrimPrefix(target.Path, "/api/"), "/")
	as := *r
	as.tx, as.state, as.context, as.method = tx, tx.state, "batch", one.Method
	as.query, as.body, as.files = make(map[string]string), maps.Clone(one.Body), r.filesOf(i)
	for name := range target.Query() {
		as.query[name] = target.Query().Get(name)
	}
	if as.body == nil {
		as.body = make(map[string]any)
	}
	if one.Method == http.MethodPut && len(parts) == 3 {
		as.method = http.MethodPost
		if c := tx.collection(parts[1]); c != nil && tx.tables[c.ID][as.text("id")] != nil {
			as.method, parts = http.MethodPatch, append(parts, as.text("id"))
		}
	}
	if !routed(as.method, parts) || as.method == http.MethodGet || parts[0] != "collections" || parts[2] != "records" {
		return nil, refusal(http.StatusBadRequest, "Unknown batch request action.")
	}
	answer, err := as.answer(parts)
	if err != nil {
		return nil, err
	}
	if answer == nil {
		return map[string]any{"status": http.StatusNoContent, "body": nil}, nil
	}
	return map[string]any{"status": http.StatusOK, "body": as.picked(answer)}, nil
}

// filesOf returns the uploads of one request of a batch.
func (r *request) filesOf(i int) uploads {
	files := make(uploads)
	for name, list := range r.files {
		for _, prefix := range []string{"requests." + strconv.Itoa(i) + ".", "requests[" + strconv.Itoa(i) + "]."} {
			if field, ok := strings.CutPrefix(name, prefix); ok {
				files[field] = list
			}
		}
	}
	return files
}
