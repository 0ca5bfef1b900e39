package backend

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// request is a request as rules and handlers see it.
type request struct {
	set *dataSet
	// state is that in force when the request came, or within a transaction its own.
	state *state
	// tx is the transaction of a batch.
	tx *transaction

	context, method string
	query, headers  map[string]string
	body            map[string]any
	files           uploads
	// owner ignores rules; auth is the user who asks, if any.
	owner bool
	auth  row
}

// uploads are the files of a form by the names of their fields.
type uploads map[string][]*multipart.FileHeader

// maxBodyBytes bounds the body of a request.
const maxBodyBytes = 64 << 20

// failure is an answer in PocketBase's form.
type failure struct {
	status  int
	message string
	data    map[string]any
}

// Error implements error.
func (f *failure) Error() string { return f.message }

func refusal(status int, message string) error {
	return &failure{status: status, message: message, data: map[string]any{}}
}

func errGone() error    { return refusal(http.StatusNotFound, "The requested resource wasn't found.") }
func errMissing() error { return refusal(http.StatusNotFound, "The requested resource wasn't found.") }
func errMembers() error {
	return refusal(http.StatusForbidden, "Only superusers can perform this action.")
}

// flawed is a refusal for what is wrong with some fields.
func flawed(message string, flaws map[string]*flaw) error {
	data := make(map[string]any, len(flaws))
	for name, one := range flaws {
		data[name] = map[string]any{"code": one.code, "message": one.message}
	}
	return &failure{status: http.StatusBadRequest, message: message, data: data}
}

// read reads the body and the query of a request.
func (r *request) read(w http.ResponseWriter, from *http.Request) error {
	query, err := url.ParseQuery(from.URL.RawQuery)
	if err != nil {
		return refusal(http.StatusBadRequest, "The query is malformed.")
	}
	r.query, r.headers = make(map[string]string), make(map[string]string)
	for name := range query {
		r.query[name] = query.Get(name)
	}
	for name := range from.Header {
		r.headers[strings.ReplaceAll(strings.ToLower(name), "-", "_")] = from.Header.Get(name)
	}
	r.body = make(map[string]any)
	if from.Body == nil || from.Method == http.MethodGet || from.Method == http.MethodHead {
		return nil
	}
	from.Body = http.MaxBytesReader(w, from.Body, maxBodyBytes)
	kind, _, _ := mime.ParseMediaType(from.Header.Get("Content-Type"))
	switch kind {
	case "multipart/form-data":
		err = r.readForm(from)
	case "application/x-www-form-urlencoded":
		if err = from.ParseForm(); err == nil {
			r.load(from.PostForm)
		}
	default:
		err = r.readJSON(from.Body)
	}
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		return refusal(http.StatusRequestEntityTooLarge, "The request is larger than 64 MiB.")
	}
	if err != nil {
		return refusal(http.StatusBadRequest, "An error occurred while loading the submitted data.")
	}
	return nil
}

func (r *request) readJSON(body io.Reader) error {
	text, err := io.ReadAll(body)
	if err != nil || len(text) == 0 {
		return err
	}
	if err := json.Unmarshal(text, &r.body); err != nil {
		return err
	}
	if r.body == nil {
		r.body = make(map[string]any)
	}
	return nil
}

// readForm reads a form with files, in which @jsonPayload is further members.
func (r *request) readForm(from *http.Request) error {
	if err := from.ParseMultipartForm(maxBodyBytes); err != nil {
		return err
	}
	r.files = from.MultipartForm.File
	for _, payload := range from.MultipartForm.Value["@jsonPayload"] {
		if err := json.Unmarshal([]byte(payload), &r.body); err != nil {
			return err
		}
	}
	delete(from.MultipartForm.Value, "@jsonPayload")
	r.load(from.MultipartForm.Value)
	return nil
}

func (r *request) load(values map[string][]string) {
	for name, texts := range values {
		if len(texts) == 1 {
			r.body[name] = texts[0]
			continue
		}
		list := make([]any, len(texts))
		for i, text := range texts {
			list[i] = text
		}
		r.body[name] = list
	}
}

// text returns a member of the body that is a text.
func (r *request) text(name string) string {
	text, _ := r.body[name].(string)
	return text
}

// allowed reports whether a rule lets the request reach a record.
func (r *request) allowed(rule *string, to row) (bool, error) {
	switch {
	case r.owner:
		return true, nil
	case rule == nil:
		return false, nil
	case *rule == "":
		return true, nil
	}
	made, err := (&compiler{state: r.state, base: to.collection, request: r, trusted: true}).compile(*rule)
	if err != nil {
		return false, err
	}
	return made.holds(to)
}

// manages reports whether the request may change what belongs to an end user alone.
func (r *request) manages(to row) bool {
	rule := to.collection.auth.ManageRule
	if r.owner || rule == nil || *rule == "" || r.auth.record == nil {
		return r.owner
	}
	may, err := r.allowed(rule, to)
	return may && err == nil
}

// isSelf reports whether a record is the user who asks.
func (r *request) isSelf(to row) bool {
	return r.auth.record != nil && r.auth.collection.ID == to.collection.ID && r.auth.id == to.id
}

// commit carries out a write in a transaction of its own, or in that of the batch.
func (r *request) commit(work func(tx *transaction) error) error {
	if r.tx != nil {
		return work(r.tx)
	}
	return r.set.change(func(tx *transaction) error {
		r.state = tx.state
		return work(tx)
	})
}

// names returns the parts of a list such as expand's.
func names(list string) []string {
	parts := strings.Split(list, ",")
	for i, part := range parts {
		parts[i] = strings.TrimSpace(part)
	}
	return slices.DeleteFunc(parts, func(part string) bool { return part == "" })
}
