package backend

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// form is what a request brings.
type form struct {
	query, headers map[string]string
	body           map[string]any
	files          uploads
}

// uploads are the files of a form by the names of their fields.
type uploads map[string][]*multipart.FileHeader

// maxBodyBytes bounds the body of a request.
const maxBodyBytes = 64 << 20

// readForm reads the query, the headers and the body of a request.
func readForm(w http.ResponseWriter, from *http.Request) (*form, error) {
	query, err := url.ParseQuery(from.URL.RawQuery)
	if err != nil {
		return nil, refusal(http.StatusBadRequest, "The query is malformed.")
	}
	f := &form{query: firstOf(query), headers: make(map[string]string), body: make(map[string]any)}
	for name := range from.Header {
		f.headers[strings.ReplaceAll(strings.ToLower(name), "-", "_")] = from.Header.Get(name)
	}
	if from.Body == nil || from.Method == http.MethodGet || from.Method == http.MethodHead {
		return f, nil
	}
	from.Body = http.MaxBytesReader(w, from.Body, maxBodyBytes)
	err = f.readBody(from)
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		return nil, core.Errorf(core.CodePayloadTooLarge, "the request is larger than 64 MiB")
	}
	if err != nil {
		return nil, refusal(http.StatusBadRequest, "An error occurred while loading the submitted data.")
	}
	return f, nil
}

// firstOf returns the first value of each parameter.
func firstOf(query url.Values) map[string]string {
	first := make(map[string]string, len(query))
	for name := range query {
		first[name] = query.Get(name)
	}
	return first
}

// readBody reads a body in any of the forms that clients send.
func (f *form) readBody(from *http.Request) error {
	kind, _, _ := mime.ParseMediaType(from.Header.Get("Content-Type"))
	switch kind {
	case "multipart/form-data":
		return f.readMultipart(from)
	case "application/x-www-form-urlencoded":
		if err := from.ParseForm(); err != nil {
			return err
		}
		f.load(from.PostForm)
		return nil
	}
	return f.readJSON(from.Body)
}

func (f *form) readJSON(body io.Reader) error {
	text, err := io.ReadAll(body)
	if err != nil || len(text) == 0 {
		return err
	}
	if err := json.Unmarshal(text, &f.body); err != nil {
		return err
	}
	if f.body == nil {
		f.body = make(map[string]any)
	}
	return nil
}

// readMultipart reads a form with files, in which @jsonPayload is further members.
func (f *form) readMultipart(from *http.Request) error {
	if err := from.ParseMultipartForm(maxBodyBytes); err != nil {
		return err
	}
	f.files = from.MultipartForm.File
	for _, payload := range from.MultipartForm.Value["@jsonPayload"] {
		if err := json.Unmarshal([]byte(payload), &f.body); err != nil {
			return err
		}
	}
	delete(from.MultipartForm.Value, "@jsonPayload")
	f.load(from.MultipartForm.Value)
	return nil
}

// load adds the values of a form to the body.
func (f *form) load(fields map[string][]string) {
	for name, texts := range fields {
		if len(texts) == 1 {
			f.body[name] = texts[0]
			continue
		}
		list := make([]any, len(texts))
		for i, text := range texts {
			list[i] = text
		}
		f.body[name] = list
	}
}

// ofPart returns the files of the request of a batch with an index.
func (u uploads) ofPart(i int) uploads {
	files := make(uploads)
	for name, list := range u {
		for _, prefix := range []string{"requests." + strconv.Itoa(i) + ".", "requests[" + strconv.Itoa(i) + "]."} {
			if field, ok := strings.CutPrefix(name, prefix); ok {
				files[field] = list
			}
		}
	}
	return files
}
