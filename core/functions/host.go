package functions

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync/atomic"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/functions"
)

// host carries out what one call of a function asks for.
type host struct {
	deps   Deps
	place  backend.Place
	tenant core.ID
	// function is the name of the function, changes counts what it changes with all rights.
	function string
	changes  *adminChanges
	// authorization is the header of the request to the function. visitor is the address that
	// sent it, "" without a visitor.
	authorization, visitor string
	// prompts counts the prompts of the call, limit those of all calls. guest says that the call
	// is a visitor's who has not signed in.
	prompts atomic.Int32
	limit   *promptLimit
	guest   bool
}

var _ functions.Host = (*host)(nil)

// Data implements functions.Host.
func (h *host) Data(ctx context.Context, request functions.Request, admin bool) (functions.Response, error) {
	at, err := url.Parse(request.URL)
	if err != nil || at.Host != "" || at.Scheme != "" || !strings.HasPrefix(at.Path, "/api/") || path.Clean(at.Path) != strings.TrimSuffix(at.Path, "/") {
		return functions.Response{}, core.Errorf(core.CodeValidationFailed, "the path of a request for records begins with /api/")
	}
	if at.Path == "/api/realtime" {
		return functions.Response{}, core.Errorf(core.CodeValidationFailed, "functions have no realtime connection")
	}
	header := endToEnd(request.Header)
	switch {
	case admin:
		header.Del("Authorization")
	case header.Get("Authorization") == "" && h.authorization != "":
		header.Set("Authorization", h.authorization)
	}
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip"} {
		header.Del(name)
	}
	sent := functions.Request{Method: request.Method, URL: at.RequestURI(), Header: header, Body: request.Body}
	from := sender{address: h.visitor, as: backend.Identity{Owner: admin}}
	if admin && isLive(h.place) {
		from.changed = func(answer []byte) { h.changes.note(h.place.Project, h.function, sent, answer) }
	}
	return ask(ctx, h.deps.Records, h.place, from, sent)
}

// sender is for whom a request is sent to the engine. The engine limits attempts to sign in by
// their addresses, so that each visitor of a function has a limit of their own.
type sender struct {
	address string
	as      backend.Identity
	// changed, if it is set, is called with the engine's answer to a request that succeeded, also if
	// nobody waits for it any more.
	changed func(answer []byte)
}

// ask sends a request to the engine.
func ask(ctx context.Context, records Records, place backend.Place, from sender, request functions.Request) (functions.Response, error) {
	r, err := http.NewRequestWithContext(ctx, request.Method, "http://backend"+request.URL, bytes.NewReader(request.Body))
	if err != nil {
		return functions.Response{}, core.Wrap(core.CodeValidationFailed, err, "the request is invalid")
	}
	r.Header, r.RemoteAddr = request.Header, from.address
	w := backend.NewRecorder(functions.MaxAnswerBytes)
	records.ServeFunction(w, r, place, from.as)
	if from.changed != nil && w.Status() < http.StatusMultipleChoices {
		from.changed(w.Body())
	}
	if err := ctx.Err(); err != nil {
		return functions.Response{}, err
	}
	if w.Cut {
		return functions.Response{}, core.Errorf(core.CodePayloadTooLarge, "the answer has more than %d MiB: ask for less", functions.MaxAnswerBytes>>20)
	}
	return functions.Response{Status: w.Status(), Header: w.Header(), Body: w.Body()}, nil
}

// Mail implements functions.Host.
func (h *host) Mail(ctx context.Context, to, subject, text string) error {
	address, err := core.NormalEmail(to)
	if err != nil {
		return err
	}
	if subject == "" || strings.ContainsAny(subject, "\r\n") || len(subject) > maxSubjectBytes {
		return core.Errorf(core.CodeValidationFailed, "the subject of a mail is one line of at most %d bytes", maxSubjectBytes)
	}
	return h.deps.Post.Send(ctx, h.place, backend.Mail{To: address, Subject: subject, Text: text})
}

// maxSubjectBytes bounds the subject of a mail.
const maxSubjectBytes = 500

// userOf returns the user of a request's token, verified by the engine, or nothing for a guest.
func (s *Service) userOf(r *http.Request, place backend.Place) json.RawMessage {
	authorization := r.Header.Get("Authorization")
	collection := collectionOf(authorization)
	if collection == "" {
		return nil
	}
	answer, err := ask(r.Context(), s.deps.Records, place, sender{address: r.RemoteAddr}, functions.Request{
		Method: http.MethodPost, URL: "/api/collections/" + url.PathEscape(collection) + "/auth-refresh", Header: http.Header{"Authorization": {authorization}},
	})
	var found struct{ Record json.RawMessage }
	if err != nil || answer.Status != http.StatusOK || json.Unmarshal(answer.Body, &found) != nil {
		return nil
	}
	return found.Record
}

// collectionOf returns the users' collection that an unverified token names.
func collectionOf(authorization string) string {
	token := strings.TrimPrefix(authorization, "Bearer ")
	parts := strings.Split(token, ".")
	if len(parts) != 3 || len(token) > 8<<10 {
		return ""
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return ""
	}
	var claims struct {
		CollectionID string `json:"collectionId"`
	}
	if json.Unmarshal(text, &claims) != nil {
		return ""
	}
	return claims.CollectionID
}
