package sitehost

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends/signins"
	"github.com/atelierhq/atelier/ports/backend"
)

// leavePath is where a browser leaves a preview for a provider. targetParameter is the provider's
// address there, beside the parameters for the provider.
const (
	leavePath       = "/_data/oauth2-leave"
	targetParameter = "atelier_target"
)

// Bounds of a request's body.
const (
	maxReturnBytes = 64 << 10
	bodyTime       = time.Minute
)

// providerDetour is the Data of previews. PocketBase's client has providers send browsers back to the page's
// own host, which for a preview is a key and changes. So the client's way to a provider leads over
// leavePath, which puts the project's lasting address in the place of the preview's. A page that
// handles the return itself gets its own address, as everywhere.
type providerDetour struct {
	data    Data
	returns *signins.Returns
	scheme  string
}

// Serve implements Data.
func (l providerDetour) Serve(w http.ResponseWriter, r *http.Request, at backend.Place) {
	switch path := r.URL.Path; {
	case path == leavePath:
		l.leave(w, r, at.Project)
	case r.Method == http.MethodGet && strings.HasSuffix(path, "/auth-methods"):
		l.offer(w, r, at)
	case r.Method == http.MethodPost && strings.HasSuffix(path, "/auth-with-oauth2"):
		l.exchange(w, r, at)
	default:
		l.data.Serve(w, r, at)
	}
}

// origin is that of the preview's pages.
func (l providerDetour) origin(r *http.Request) string { return l.scheme + "://" + r.Host }

// isOwn reports whether an address is the preview's for browsers that come back.
func (l providerDetour) isOwn(r *http.Request, address string) bool {
	path, below := strings.CutPrefix(address, l.origin(r))
	return below && isReturn(path)
}

// offer lets the addresses of providers lead over leavePath.
func (l providerDetour) offer(w http.ResponseWriter, r *http.Request, at backend.Place) {
	r.Header.Del("Accept-Encoding")
	answer := &outcome{header: w.Header()}
	l.data.Serve(answer, r, at)
	answer.WriteHeader(http.StatusOK) // unless there was another
	content := answer.body.Bytes()
	var methods any
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.UseNumber()
	if answer.status == http.StatusOK && decoder.Decode(&methods) == nil {
		l.redirectOffers(methods, r, at.Project)
		if changed, err := json.Marshal(methods); err == nil {
			content = changed
		}
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	w.WriteHeader(answer.status)
	_, _ = w.Write(content)
}

// redirectOffers changes the addresses of providers anywhere in the answer: old clients read them in
// another place.
func (l providerDetour) redirectOffers(value any, r *http.Request, project core.ID) {
	switch value := value.(type) {
	case []any:
		for _, one := range value {
			l.redirectOffers(one, r, project)
		}
	case map[string]any:
		for name, one := range value {
			if address, isText := one.(string); isText && strings.EqualFold(name, "authURL") {
				value[name] = l.over(address, r, project)
				continue
			}
			l.redirectOffers(one, r, project)
		}
	}
}

// over returns the address at leavePath for one of a provider. Both end with the parameter to which
// clients append where the browser is to come back.
func (l providerDetour) over(address string, r *http.Request, project core.ID) string {
	target, query, _ := strings.Cut(address, "?")
	sealed, err := l.returns.SealTarget(project, target)
	if err != nil {
		return address
	}
	return l.origin(r) + leavePath + "?" + targetParameter + "=" + sealed + "&" + query
}

// leave sends a browser to a provider. It goes nowhere else, because nobody can make a target.
func (l providerDetour) leave(w http.ResponseWriter, r *http.Request, project core.ID) {
	if !allowReading(w, r) {
		return
	}
	query := r.URL.Query()
	target, err := l.returns.OpenTarget(project, query.Get(targetParameter))
	if err == nil && l.isOwn(r, query.Get("redirect_uri")) {
		var state string
		state, err = l.returns.SealState(project, query.Get("state"))
		query.Set("redirect_uri", l.returns.Address(project))
		query.Set("state", state)
	}
	if err != nil {
		showNotice(w, r, http.StatusBadRequest, notSignedIn())
		return
	}
	query.Del(targetParameter)
	w.Header().Set("Location", target+"?"+query.Encode())
	w.WriteHeader(http.StatusSeeOther)
}

// serveReturn hands the code that a browser brings from a provider to the window that left from a
// preview of the project. It leads nowhere, so that nobody learns the preview's address here.
func (h *previewHost) serveReturn(w http.ResponseWriter, r *http.Request, project core.ID) {
	header := w.Header()
	header["Content-Security-Policy"] = []string{"frame-ancestors 'none'"}
	header["Referrer-Policy"] = []string{"no-referrer"} // the address has the code
	header["X-Robots-Tag"] = []string{"noindex"}
	brought, ok := readReturn(w, r)
	if !ok {
		return
	}
	state, err := h.returns.OpenState(project, brought.Get("state"))
	if err != nil {
		showNotice(w, r, http.StatusBadRequest, notSignedIn())
		return
	}
	brought.Set("state", state)
	serveData(h.backend, w, asReturn(r, brought), backend.Place{Project: project, Env: core.DataTest})
}

// readReturn returns what a browser brings: in the query, or in the form that Apple's page sends. If
// it brings nothing, readReturn answers.
func readReturn(w http.ResponseWriter, r *http.Request) (url.Values, bool) {
	switch r.Method {
	case http.MethodGet:
		return r.URL.Query(), true
	case http.MethodPost:
		body, err := readShort(w, r, maxReturnBytes)
		brought, wrong := url.ParseQuery(string(body))
		if err == nil && wrong == nil {
			return brought, true
		}
		showNotice(w, r, http.StatusBadRequest, notSignedIn())
	default:
		w.Header().Set("Allow", "GET, POST")
		refuse(w, http.StatusMethodNotAllowed, "only providers send browsers here")
	}
	return nil, false
}

// asReturn is the request as it is made to a host that is not a preview's.
func asReturn(r *http.Request, brought url.Values) *http.Request {
	inner := r.Clone(r.Context())
	inner.URL = &url.URL{Path: signins.RedirectPath}
	inner.Header.Del("Authorization")
	if r.Method == http.MethodGet {
		inner.URL.RawQuery = brought.Encode()
		return inner
	}
	setBody(inner, []byte(brought.Encode()))
	inner.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return inner
}

// readShort reads a body of at most so many bytes, which has to arrive in time.
func readShort(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTime))
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	_ = control.SetReadDeadline(time.Time{}) // what follows may take longer
	return body, err
}

func setBody(r *http.Request, body []byte) {
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r.Header.Set("Content-Length", strconv.Itoa(len(body)))
}
