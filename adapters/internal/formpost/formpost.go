// Package formpost reads the forms that pages send without a script, and makes of each the request
// that creates a record.
package formpost

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// Bounds of a form: its bytes without and with files, and its fields.
const (
	maxBytes      = 1 << 20
	maxFilesBytes = 10 << 20
	maxFields     = 200
)

// Post is a form that a visitor has sent.
type Post struct {
	Collection string
	// From is the page of the form and Next the page that follows, as paths of the same host; Next
	// may be empty.
	From, Next string
	// Spam says that a program has filled in what no person sees.
	Spam bool

	// fields are the names of what is sent.
	fields      []string
	body        []byte
	contentType string
}

// Is reports whether a path takes the answers of a form.
func Is(path string) bool {
	name, ok := strings.CutPrefix(path, core.FormsPath)
	return ok && core.IsFormName(name)
}

// At returns what the address of a request tells, without its body.
func At(r *http.Request) Post {
	query := r.URL.Query()
	post := Post{
		Collection: strings.TrimPrefix(r.URL.Path, core.FormsPath),
		From:       localPath(query.Get(core.FormFrom)), Next: localPath(query.Get(core.FormNext)),
	}
	if post.From == "" {
		post.From = "/"
	}
	return post
}

// Read reads a form. A form of another site has core.CodeForbidden, one that cannot be read
// core.CodeInvalidRequest, one that is too large core.CodePayloadTooLarge.
func Read(w http.ResponseWriter, r *http.Request) (Post, error) {
	post := At(r)
	if isForeign(r) {
		return post, core.Errorf(core.CodeForbidden, "the form belongs to another site")
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	var err error
	switch kind {
	case "application/x-www-form-urlencoded":
		err = post.readPlain(http.MaxBytesReader(w, r.Body, maxBytes))
	case "multipart/form-data":
		r.Body = http.MaxBytesReader(w, r.Body, maxFilesBytes)
		err = post.readParts(r)
	default:
		return post, core.Errorf(core.CodeInvalidRequest, "this is not a form")
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return post, core.Wrap(core.CodePayloadTooLarge, err, "the form is too large")
	case err != nil && core.CodeOf(err) == core.CodeInternal:
		return post, core.Wrap(core.CodeInvalidRequest, err, "the form cannot be read")
	}
	return post, err
}

// isForeign reports whether a browser says that another site has sent the form.
func isForeign(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
		return false
	case "":
	default:
		return true
	}
	// The origin "null" is that of pages that send no referrer.
	origin := r.Header.Get("Origin")
	if origin == "" || origin == "null" {
		return false
	}
	from, err := url.Parse(origin)
	return err != nil || !strings.EqualFold(from.Host, r.Host)
}

func (p *Post) readPlain(body io.Reader) error {
	text, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	values, err := url.ParseQuery(string(text))
	if err != nil {
		return err
	}
	return p.setValues(values)
}

// setValues lets the form have values without files.
func (p *Post) setValues(values url.Values) error {
	if err := p.note(values); err != nil {
		return err
	}
	record := make(map[string]any, len(p.fields))
	for _, name := range p.fields {
		record[name] = values[name][0]
		if len(values[name]) > 1 {
			record[name] = values[name]
		}
	}
	body, err := json.Marshal(record)
	p.body, p.contentType = body, "application/json"
	return err
}

// note remembers the names of the fields for the record. Names that begin with _ or @ mean
// something to the service or to the engine.
func (p *Post) note(values url.Values) error {
	if len(values) > maxFields {
		return core.Errorf(core.CodeInvalidRequest, "the form has more than %d fields", maxFields)
	}
	p.Spam = p.Spam || values.Get(core.FormTrap) != ""
	for name := range values {
		if name != "" && name[0] != '_' && name[0] != '@' {
			p.fields = append(p.fields, name)
		}
	}
	slices.Sort(p.fields)
	return nil
}

func (p *Post) readParts(r *http.Request) error {
	if err := r.ParseMultipartForm(maxBytes); err != nil {
		return err
	}
	// What was written to the disk is removed. It is in a temporary directory in any case.
	defer func() { _ = r.MultipartForm.RemoveAll() }()
	if err := p.note(r.MultipartForm.Value); err != nil {
		return err
	}
	var body bytes.Buffer
	out := multipart.NewWriter(&body)
	for _, name := range p.fields {
		for _, value := range r.MultipartForm.Value[name] {
			if err := out.WriteField(name, value); err != nil {
				return err
			}
		}
	}
	if err := p.addFiles(out, r.MultipartForm.File); err != nil {
		return err
	}
	p.body, p.contentType = body.Bytes(), out.FormDataContentType()
	if err := out.Close(); err != nil {
		return err
	}
	p.body = body.Bytes()
	return nil
}

// addFiles adds the files. Browsers send an empty one for a field without a choice.
func (p *Post) addFiles(out *multipart.Writer, files map[string][]*multipart.FileHeader) error {
	if len(files) > maxFields {
		return core.Errorf(core.CodeInvalidRequest, "the form has more than %d fields", maxFields)
	}
	for name, headers := range files {
		if name == "" || name[0] == '_' || name[0] == '@' {
			continue
		}
		for _, header := range headers {
			if header.Filename == "" || header.Size == 0 {
				continue
			}
			p.fields = append(p.fields, name)
			if err := addFile(out, name, header); err != nil {
				return err
			}
		}
	}
	return nil
}

func addFile(out *multipart.Writer, name string, header *multipart.FileHeader) error {
	content, err := header.Open()
	if err != nil {
		return err
	}
	defer content.Close()
	part, err := out.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {mime.FormatMediaType("form-data", map[string]string{"name": name, "filename": header.Filename})},
		"Content-Type":        {"application/octet-stream"},
	})
	if err != nil {
		return err
	}
	_, err = io.Copy(part, content)
	return err
}

// Request returns the request that creates the record as a guest, in the place of the one that
// brought the form.
func (p Post) Request(r *http.Request) *http.Request {
	made := r.Clone(r.Context())
	made.URL = &url.URL{Path: "/_data/collections/" + p.Collection + "/records"}
	made.RequestURI = ""
	made.Header = http.Header{"Content-Type": {p.contentType}, "Accept": {"application/json"}}
	made.Body, made.ContentLength = io.NopCloser(bytes.NewReader(p.body)), int64(len(p.body))
	made.MultipartForm, made.Form, made.PostForm, made.TransferEncoding = nil, nil, nil, nil
	return made
}

// Lost returns the names of sent fields that a record does not have.
func (p Post) Lost(record []byte) []string {
	var kept map[string]json.RawMessage
	if json.Unmarshal(record, &kept) != nil {
		return nil
	}
	var lost []string
	for _, name := range slices.Compact(p.fields) {
		if _, has := kept[name]; !has {
			lost = append(lost, name)
		}
	}
	return lost
}

// localPath returns a path of the same host, "" for anything else.
func localPath(text string) string {
	to, err := url.Parse(text)
	if err != nil || to.Scheme != "" || to.Host != "" || to.User != nil || !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") || strings.ContainsAny(text, "\\\r\n\t") {
		return ""
	}
	return to.RequestURI()
}
