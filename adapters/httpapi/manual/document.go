package manual

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
)

// JSON converts the description of an API from YAML to JSON, with the version of the
// service. Members keep the order of the YAML.
func JSON(text []byte, version string) ([]byte, error) {
	document, err := read(text, version)
	if err != nil {
		return nil, err
	}
	return appendJSON(nil, document.node)
}

// read returns a description with the service's version; "" keeps its own.
func read(text []byte, version string) (Part, error) {
	document, err := Parse(text)
	if err == nil && version != "" {
		document.At("info", "version").node.SetString(version)
	}
	return document, err
}

// Parse returns the root of a YAML document. If it cannot be parsed, the error has code
// core.CodeInternal.
func Parse(text []byte) (Part, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return Part{}, core.Wrap(core.CodeInternal, err, "the description of the API cannot be read")
	}
	return Part{document.Content[0], document.Content[0]}, nil
}

// appendJSON writes a YAML value as JSON.
func appendJSON(out []byte, node *yaml.Node) ([]byte, error) {
	switch node.Kind {
	case yaml.MappingNode:
		return appendNodes(out, "{}", node.Content, func(i int) byte { return ":,"[i%2] })
	case yaml.SequenceNode:
		return appendNodes(out, "[]", node.Content, func(int) byte { return ',' })
	case yaml.ScalarNode:
		var value any
		if err := node.Decode(&value); err != nil {
			return nil, core.Wrap(core.CodeInternal, err, "the description of the API has a bad value in line %d", node.Line)
		}
		text, err := json.Marshal(value)
		return append(out, text...), err
	}
	return nil, core.Errorf(core.CodeInternal, "the description of the API has a value that JSON cannot express in line %d", node.Line)
}

func appendNodes(out []byte, brackets string, nodes []*yaml.Node, after func(i int) byte) ([]byte, error) {
	out = append(out, brackets[0])
	for i, node := range nodes {
		if i > 0 {
			out = append(out, after(i-1))
		}
		var err error
		if out, err = appendJSON(out, node); err != nil {
			return nil, err
		}
	}
	return append(out, brackets[1]), nil
}

// Manual serves the document to programs and to people. Both forms are rendered on first
// use.
type Manual struct{ Document, Page func() (StaticPage, error) }

// StaticPage is a response that never changes.
type StaticPage struct {
	kind string
	// policy is the Content-Security-Policy, "" for the default one.
	policy string
	body   []byte
	// Tag is the entity tag, which changes with the body.
	Tag string
}

// New returns the manual of the service below at. text is an OpenAPI document in YAML.
func New(text []byte, version string, at rest.Base) Manual {
	return Manual{
		Document: sync.OnceValues(func() (StaticPage, error) {
			document, err := read(text, version)
			if err != nil {
				return StaticPage{}, err
			}
			document.At("servers").node.Content[0].Content[1].SetString(at.Outside("/"))
			body, err := appendJSON(nil, document.node)
			return NewStaticPage("application/json", body), err
		}),
		Page: sync.OnceValues(func() (StaticPage, error) {
			document, err := read(text, version)
			if err != nil {
				return StaticPage{}, err
			}
			page, err := renderPage(document)
			return tagged(page), err
		}),
	}
}

// NewStaticPage returns a response of a media type.
func NewStaticPage(kind string, body []byte) StaticPage {
	return tagged(StaticPage{kind: kind, body: body})
}

func tagged(answer StaticPage) StaticPage {
	sum := sha256.Sum256(answer.body)
	answer.Tag = `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
	return answer
}

// Serve answers with the rendered response, or with 304.
func Serve(get func() (StaticPage, error)) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		answer, err := get()
		if err != nil {
			return err
		}
		header := w.Header()
		header.Del("Vary")
		header.Set("Cache-Control", "public, no-cache")
		header.Set("Content-Type", answer.kind)
		header.Set("ETag", answer.Tag)
		if answer.policy != "" {
			header.Set("Content-Security-Policy", answer.policy)
		}
		rest.ServeWhole(w, r, answer.body)
		return nil
	}
}
