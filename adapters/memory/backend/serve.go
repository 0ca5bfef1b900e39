package backend

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/atelierhq/atelier/adapters/memory/backend/rules"
	"github.com/atelierhq/atelier/core"
	port "github.com/atelierhq/atelier/ports/backend"
)

// Serve implements backend.Engine.
func (e *Engine) Serve(w http.ResponseWriter, from *http.Request, place port.Place, as port.Identity) {
	set, err := e.findOpen(from.Context(), place)
	if err != nil {
		failService(w, err)
		return
	}
	if wait := set.rate.Take(time.Now()); wait > 0 && !as.Owner && place.Copy == "" {
		w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)+1))
		failService(w, core.Errorf(core.CodeRateLimited, "too many requests, try again in a moment"))
		return
	}
	present, err := set.present()
	if err != nil {
		failService(w, err)
		return
	}
	r := &request{set: set, state: present, Request: rules.Request{Context: "default", Method: from.Method}}
	if err := r.serve(w, from, as); err != nil {
		fail(w, err)
	}
}

// serve carries out a request. The routes are those of PocketBase that end users need.
func (r *request) serve(w http.ResponseWriter, from *http.Request, as port.Identity) error {
	parts := strings.Split(strings.TrimPrefix(from.URL.Path, "/api/"), "/")
	if !routed(from.Method, parts) {
		return errMissing()
	}
	brought, err := readForm(w, from)
	if err != nil {
		return err
	}
	r.Query, r.Headers, r.Body, r.files = brought.query, brought.headers, brought.body, brought.files
	if err := r.identify(as, from.Header.Get("Authorization")); err != nil {
		return err
	}
	if r.Auth.Exists() && !r.owner {
		w.Header().Set(port.UserHeader, r.Auth.Collection.Name+"/"+r.Auth.ID)
	}
	if parts[0] == "files" && len(parts) == 4 {
		return r.download(w, from, parts[1:])
	}
	if parts[0] == "realtime" && from.Method == http.MethodGet {
		return r.stream(w, from)
	}
	answer, err := r.answer(from.Context(), parts)
	if err != nil {
		return err
	}
	if answer == nil {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	fields := r.Query["fields"]
	if err := checkFields(fields); err != nil {
		return err
	}
	return send(w, http.StatusOK, picked(answer, fields))
}

// routed reports whether there is something at a path.
func routed(method string, parts []string) bool {
	get, post := method == http.MethodGet || method == http.MethodHead, method == http.MethodPost
	switch {
	case len(parts) == 1 && parts[0] == "health":
		return get
	case len(parts) == 1 && parts[0] == "batch":
		return post
	case len(parts) == 1 && parts[0] == "oauth2-redirect":
		return method == http.MethodGet || post
	case len(parts) == 1 && parts[0] == "realtime":
		return method == http.MethodGet || post
	case parts[0] == "files":
		return len(parts) == 2 && parts[1] == "token" && post || len(parts) == 4 && get
	case len(parts) == 3 && parts[0] == "collections" && parts[2] == "records":
		return get || post
	case len(parts) == 4 && parts[0] == "collections" && parts[2] == "records":
		return get || method == http.MethodPatch || method == http.MethodDelete
	case len(parts) == 3 && parts[0] == "collections" && parts[2] == "auth-methods":
		return get
	}
	return len(parts) == 3 && parts[0] == "collections" && post
}

// answer carries out a request whose answer is JSON, nil for an empty one.
func (r *request) answer(ctx context.Context, parts []string) (any, error) {
	switch parts[0] {
	case "health":
		return map[string]any{"code": http.StatusOK, "message": "API is healthy.", "data": map[string]any{}}, nil
	case "batch":
		return r.batch()
	case "realtime":
		return nil, r.subscribe()
	case "oauth2-redirect":
		return r.redirect()
	case "files":
		return r.fileToken()
	}
	c := r.state.Collection(parts[1])
	if c == nil {
		return nil, refusal(http.StatusNotFound, "Missing collection context.")
	}
	if parts[2] != "records" {
		return authentication{r, c}.answer(ctx, parts[2])
	}
	if len(parts) == 3 && r.Method != http.MethodPost {
		return listing{r, c}.answer()
	}
	return resource{r, c}.answer(append(parts, "")[3])
}

// send writes an answer as JSON.
func send(w http.ResponseWriter, status int, answer any) error {
	text, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text)
	return nil
}
