package attack

import (
	"bytes"
	"context"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// owner is the identity that no rule binds.
var owner = backend.Identity{Owner: true}

// answer is a response; body is nil unless it is a JSON object.
type answer struct {
	status int
	body   map[string]any
}

func (a answer) ok() bool { return a.status >= 200 && a.status < 300 }

// items returns the records of a list.
func (a answer) items() []map[string]any {
	list, _ := a.body["items"].([]any)
	var items []map[string]any
	for _, one := range list {
		if item, ok := one.(map[string]any); ok {
			items = append(items, item)
		}
	}
	return items
}

func (a answer) count(name string) int {
	number, _ := a.body[name].(float64)
	return int(number)
}

func text(values map[string]any, name string) string {
	text, _ := values[name].(string)
	return text
}

// records is the path of a collection's records, or of one.
func records(t *target, id string) string {
	path := "collections/" + t.Name + "/records"
	if id != "" {
		path += "/" + url.PathEscape(id)
	}
	return path
}

// line sends requests to the engine.
type line struct {
	ctx    context.Context
	engine Engine
	place  backend.Place
	// err is the first failure of the engine; after it nothing is sent.
	err error
}

// send sends a request with a body in JSON, nil for none.
func (r *line) send(as backend.Identity, method, path string, query url.Values, body map[string]any) answer {
	var content []byte
	if body != nil {
		// Values are those of JSON.
		content, _ = json.Marshal(body)
	}
	return r.sendAs(as, method, path, query, "application/json", content)
}

// upload is send for a body with files.
func (r *line) upload(as backend.Identity, path string, body map[string]any, files map[string]upload) answer {
	var content bytes.Buffer
	form := multipart.NewWriter(&content)
	payload, _ := json.Marshal(body)
	// Writing to memory does not fail.
	_ = form.WriteField("@jsonPayload", string(payload))
	for name, file := range files {
		header := make(textproto.MIMEHeader)
		header.Set("Content-Disposition", `form-data; name="`+name+`"; filename="`+file.name+`"`)
		header.Set("Content-Type", file.kind)
		part, _ := form.CreatePart(header)
		_, _ = part.Write([]byte(file.content))
	}
	_ = form.Close()
	return r.sendAs(as, http.MethodPost, path, nil, form.FormDataContentType(), content.Bytes())
}

// sendAs sends a request, unless the engine has failed before.
func (r *line) sendAs(as backend.Identity, method, path string, query url.Values, kind string, content []byte) answer {
	if r.err != nil {
		return answer{}
	}
	request, err := r.request(method, path, query, kind, content)
	if err != nil {
		r.err = err
		return answer{}
	}
	w := backend.NewRecorder(maxAnswerBytes)
	r.engine.Serve(w, request, r.place, as)
	if err := r.ctx.Err(); err != nil {
		r.err = core.Wrap(core.CodeUnavailable, err, "checking who may read and change the data took too long: try again")
		return answer{}
	}
	if w.Status() == http.StatusTooManyRequests || w.Status() >= http.StatusInternalServerError {
		r.err = core.Errorf(core.CodeUnavailable, "the data could not be checked: try again")
		return answer{}
	}
	got := answer{status: w.Status()}
	// What is no object, such as a file, has no members.
	_ = json.Unmarshal(w.Body(), &got.body)
	return got
}

func (r *line) request(method, path string, query url.Values, kind string, content []byte) (*http.Request, error) {
	address := "http://backend/api/" + path
	if len(query) > 0 {
		address += "?" + query.Encode()
	}
	request, err := http.NewRequestWithContext(r.ctx, method, address, bytes.NewReader(content))
	if err != nil {
		return nil, core.Wrap(core.CodeInternal, err, "a request could not be made")
	}
	request.RemoteAddr = "192.0.2.1:1024"
	request.Header.Set("Content-Type", kind)
	return request, nil
}

// maxAnswerBytes bounds what is kept of an answer: a larger one has told enough.
const maxAnswerBytes = 16 << 20
