package sitehost

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

const (
	// maxExchangeBytes bounds the body of a request that brings a provider's code.
	maxExchangeBytes = 1 << 20
	// jsonField is the field of a form that has all members as JSON, for PocketBase.
	jsonField = "@jsonPayload"
)

// exchange tells the provider the address at which the code has arrived.
func (l providerDetour) exchange(w http.ResponseWriter, r *http.Request, at backend.Place) {
	body, err := readShort(w, r, maxExchangeBytes)
	if err != nil {
		backend.Refuse(w, http.StatusBadRequest, "The request is larger than 1 MiB, or did not arrive.")
		return
	}
	setBody(r, l.arrived(r, body, at.Project))
	l.data.Serve(w, r, at)
}

// arrived puts the project's address in the place of the preview's, in JSON and in both kinds of
// forms, as PocketBase reads them. A body that cannot be read stays.
func (l providerDetour) arrived(r *http.Request, body []byte, project core.ID) []byte {
	kind, parameters, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	instead := func(name, value string) string {
		if strings.EqualFold(name, "redirectURL") && l.isOwn(r, value) {
			return l.returns.Address(project)
		}
		return value
	}
	switch kind {
	case "application/x-www-form-urlencoded":
		return inForm(body, instead)
	case "multipart/form-data":
		if changed, err := inParts(body, parameters["boundary"], instead); err == nil {
			return changed
		}
		return body
	}
	return inJSON(body, instead)
}

// rewrite returns what a member with a name and a value has instead.
type rewrite func(name, value string) string

// inField replaces the value of a form's field.
func (instead rewrite) inField(name, value string) string {
	if name == jsonField {
		return string(inJSON([]byte(value), instead))
	}
	return instead(name, value)
}

// inJSON replaces the members of an object that are texts.
func inJSON(body []byte, instead rewrite) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return body
	}
	found := false
	for name, value := range members {
		var text string
		if json.Unmarshal(value, &text) != nil {
			continue
		}
		if next := instead(name, text); next != text {
			members[name], _ = json.Marshal(next)
			found = true
		}
	}
	if !found {
		return body
	}
	// Members that were decoded are always encoded.
	changed, _ := json.Marshal(members)
	return changed
}

// inForm replaces the fields of a form in the way of addresses.
func inForm(body []byte, instead rewrite) []byte {
	fields, err := url.ParseQuery(string(body))
	if err != nil {
		return body
	}
	for name, values := range fields {
		for i, value := range values {
			values[i] = instead.inField(name, value)
		}
	}
	return []byte(fields.Encode())
}

// inParts replaces the fields of a form in parts, and keeps its files.
func inParts(body []byte, boundary string, instead rewrite) ([]byte, error) {
	var out bytes.Buffer
	from, to := multipart.NewReader(bytes.NewReader(body), boundary), multipart.NewWriter(&out)
	if err := to.SetBoundary(boundary); err != nil {
		return nil, err
	}
	for {
		part, err := from.NextRawPart()
		if errors.Is(err, io.EOF) {
			err := to.Close()
			return out.Bytes(), err
		}
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(part)
		if err != nil {
			return nil, err
		}
		if part.FileName() == "" {
			content = []byte(instead.inField(part.FormName(), string(content)))
		}
		next, err := to.CreatePart(part.Header)
		if err != nil {
			return nil, err
		}
		if _, err := next.Write(content); err != nil {
			return nil, err
		}
	}
}
