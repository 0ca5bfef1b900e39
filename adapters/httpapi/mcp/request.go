package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// arguments are the members of a tool's input.
type arguments map[string]json.RawMessage

// read returns the arguments of a call, with the fixed ones. The error has code
// core.CodeInvalidRequest if they are no object, or not those of the tool.
func (d *operation) read(text []byte) (arguments, error) {
	given := arguments{}
	if len(text) > 0 {
		if err := json.Unmarshal(text, &given); err != nil {
			return nil, core.Errorf(core.CodeInvalidRequest, "the arguments must be a JSON object")
		}
	}
	for name := range given {
		if _, known := d.properties[name]; !known {
			return nil, core.Errorf(core.CodeInvalidRequest, "the tool %s has no argument %.50q", d.Name, name)
		}
	}
	for _, name := range d.needed {
		if _, there := given[name]; !there && d.members[name] != inBody {
			return nil, core.Errorf(core.CodeInvalidRequest, "the argument %q is missing", name)
		}
	}
	all := arguments{}
	for name, value := range d.fixed {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, core.Wrap(core.CodeInternal, err, "the tool %s has a value that is no JSON", d.Name)
		}
		all[name] = text
	}
	for name, value := range given {
		all[name] = value
	}
	return all, nil
}

// text returns an argument for a path, a query or a whole body: a text, a number or a truth.
func (a arguments) text(name string) (string, error) {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(a[name]))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return "", core.Errorf(core.CodeInvalidRequest, "the argument %q is not JSON", name)
	}
	switch value := value.(type) {
	case string:
		return value, nil
	case json.Number:
		return value.String(), nil
	case bool:
		return map[bool]string{true: "true", false: "false"}[value], nil
	}
	return "", core.Errorf(core.CodeInvalidRequest, "the argument %q must be one value", name)
}

// request returns the request to the route, below base. The arguments come from read.
func (d *operation) request(ctx context.Context, base string, given arguments) (*http.Request, error) {
	path, err := d.path(given)
	if err != nil {
		return nil, err
	}
	query := url.Values{}
	body := map[string]json.RawMessage{}
	var content io.Reader
	for name, at := range d.members {
		value, there := given[name]
		if !there || at == inPath {
			continue
		}
		if at == inBody {
			body[name] = value
			continue
		}
		text, err := given.text(name)
		if err != nil {
			return nil, err
		}
		if at == asBody {
			content = strings.NewReader(text)
		} else if text != "" || string(value) == `""` {
			query.Set(name, text)
		}
	}
	kind := "application/octet-stream"
	if d.hasJSON && (d.needsBody || len(body) > 0) {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, core.Errorf(core.CodeInvalidRequest, "the arguments are not JSON")
		}
		content, kind = bytes.NewReader(text), "application/json"
	}
	target := base + path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, d.Method, target, content)
	if err != nil {
		return nil, core.Errorf(core.CodeInvalidRequest, "the arguments make no address")
	}
	if content != nil {
		r.Header.Set("Content-Type", kind)
	}
	return r, nil
}

// path fills the parameters of the pattern in.
func (d *operation) path(given arguments) (string, error) {
	segments := strings.Split(d.Pattern, "/")
	for i, segment := range segments {
		if !strings.HasPrefix(segment, ":") && !strings.HasPrefix(segment, "*") {
			continue
		}
		text, err := given.text(segment[1:])
		if err != nil {
			return "", err
		}
		parts := []string{text}
		if segment[0] == '*' {
			parts = strings.Split(text, "/")
		}
		for j := range parts {
			parts[j] = url.PathEscape(parts[j])
		}
		segments[i] = strings.Join(parts, "/")
	}
	return strings.Join(segments, "/"), nil
}

// forwarded are the headers that say who calls, and how they are answered.
var forwarded = []string{"Authorization", "X-Forwarded-For", "User-Agent", "Accept-Language"}

// as makes caller's program, address and credentials those of r.
func as(r, caller *http.Request) {
	for _, name := range forwarded {
		r.Header[name] = slices.Clone(caller.Header[name])
	}
	r.Host, r.RemoteAddr, r.TLS, r.Proto, r.ProtoMajor, r.ProtoMinor = caller.Host, caller.RemoteAddr, caller.TLS, caller.Proto, caller.ProtoMajor, caller.ProtoMinor
}
