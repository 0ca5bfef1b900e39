package rest

import (
	"encoding/json"
	"mime"
	"net/url"

	"github.com/atelierhq/atelier/core"
)

// Form decodes a form of at most limit bytes (application/x-www-form-urlencoded). The error has
// code core.CodePayloadTooLarge, core.CodeUnsupportedMediaType for another content type, and
// core.CodeInvalidRequest for a form that is malformed or names a field twice.
func (r *Request) Form(limit int64) (Query, error) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "application/x-www-form-urlencoded" || r.Header.Get("Content-Encoding") != "" {
		return nil, core.Errorf(core.CodeUnsupportedMediaType, "the body must be application/x-www-form-urlencoded without Content-Encoding")
	}
	body, err := r.readBody(limit)
	if err != nil {
		return nil, err
	}
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return nil, core.Errorf(core.CodeInvalidRequest, "the form is malformed")
	}
	form := make(Query, len(values))
	for name, list := range values {
		if len(list) != 1 {
			return nil, core.Errorf(core.CodeInvalidRequest, "the field %.50q occurs %d times", name, len(list))
		}
		form[name] = list[0]
	}
	return form, nil
}

// DecodeKnown decodes the members of a JSON body of at most limit bytes that a struct has, and
// leaves out others, as standards want it. It fails as Decode does.
func (r *Request) DecodeKnown(limit int64, into any) error {
	if err := CheckJSONHeaders(r.Header); err != nil {
		return err
	}
	body, err := r.readBody(limit)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, into); err != nil {
		return core.Wrap(core.CodeInvalidRequest, err, "the body does not have the expected shape")
	}
	return nil
}
