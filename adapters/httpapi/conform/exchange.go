package conform

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// find returns the operation of a request. If several match, it is the one with the most
// literal segments. pathKnown reports whether the path has any operation. GET answers
// HEAD if there is no other.
func (d *Description) find(method, escapedPath string) (found *operation, pathKnown bool) {
	segments := strings.Split(escapedPath, "/")
	most := -1
	for i := range d.operations {
		o := &d.operations[i]
		named, matches := o.match(segments)
		if !matches {
			continue
		}
		pathKnown = true
		serves := o.method == method || o.method == http.MethodGet && method == http.MethodHead && found == nil
		if serves && (named > most || found != nil && named == most && o.method == method) {
			found, most = o, named
		}
	}
	return found, pathKnown
}

// match reports whether this operation matches the segments of a path, and how many of
// them literally.
func (o *operation) match(segments []string) (named int, matches bool) {
	if len(segments) < len(o.segments) || len(segments) > len(o.segments) && !o.spans {
		return 0, false
	}
	for i, want := range o.segments {
		if strings.HasPrefix(want, "{") {
			continue
		}
		if got, err := url.PathUnescape(segments[i]); err != nil || got != want {
			return 0, false
		}
		named++
	}
	return named, true
}

// answerFor returns the description for the status of a response.
func (d *Description) answerFor(o *operation, pathKnown bool, status int) (answer, error) {
	switch {
	case o != nil:
		if described, known := o.answers[status]; known {
			return described, nil
		}
		return answer{}, errors.New("the description has no such status for this operation")
	case pathKnown && status != http.StatusMethodNotAllowed:
		return answer{}, errors.New("the description has the path, but not the method")
	}
	if described, known := d.unrouted[status]; known {
		return described, nil
	}
	return answer{}, errors.New("the description has no such path")
}

// checkHead validates everything but the body of a response. It returns the content that
// the body must have. nil means no body, or any body.
func (a answer) checkHead(response *http.Response) (*content, error) {
	for _, name := range a.headers {
		if response.Header.Get(name) == "" {
			return nil, fmt.Errorf("the header %s is missing", name)
		}
	}
	if len(a.content) == 0 {
		return nil, a.checkEmpty(response)
	}
	media, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil {
		return nil, fmt.Errorf("the content type %q: %w", response.Header.Get("Content-Type"), err)
	}
	for _, fitting := range []string{media, "*/*"} {
		if described, known := a.content[fitting]; known {
			return &described, nil
		}
	}
	return nil, fmt.Errorf("the content type %s is not described", media)
}

// checkEmpty refuses a body. It ignores that of a redirect, which is for people, and the
// connection after a switch of protocols.
func (answer) checkEmpty(response *http.Response) error {
	if response.StatusCode/100 == 3 || response.StatusCode == http.StatusSwitchingProtocols {
		return nil
	}
	var first [1]byte
	if n, _ := io.ReadFull(response.Body, first[:]); n == 0 {
		return nil
	}
	response.Body = replayBody{io.MultiReader(bytes.NewReader(first[:]), response.Body), response.Body}
	return errors.New("there is a body, which is not described")
}

// checkRequest validates a request that was carried out.
func (o *operation) checkRequest(request *http.Request) error {
	for name := range request.URL.Query() {
		if !o.query[name] {
			return fmt.Errorf("the request's query has %s, which is not described", name)
		}
	}
	described, isJSON := o.body["application/json"]
	if !isJSON || described.schema == nil || request.GetBody == nil {
		return nil
	}
	body, err := request.GetBody()
	if err != nil {
		return err
	}
	text, err := io.ReadAll(body)
	if err != nil || len(text) == 0 {
		return err
	}
	if err := validate(described.schema, text); err != nil {
		return fmt.Errorf("the request was carried out, although its body is not as described: %w", err)
	}
	return nil
}

// maxReasonBytes bounds how much of a validator's reasons is quoted.
const maxReasonBytes = 1500

// validate validates JSON against a schema.
func validate(schema *jsonschema.Schema, text []byte) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("no JSON: %w", err)
	}
	if err := schema.Validate(value); err != nil {
		reason := err.Error()
		return errors.New(reason[:min(len(reason), maxReasonBytes)])
	}
	return nil
}
