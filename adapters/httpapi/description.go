package httpapi

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

// jsonOf returns the description of an API, written in YAML, as JSON with the version of
// the service. Members keep the order of the YAML.
func jsonOf(text []byte, version string) ([]byte, error) {
	document, err := readDescription(text, version)
	if err != nil {
		return nil, err
	}
	return appendJSON(nil, document.node)
}

// readDescription returns a description with the service's version in it; "" leaves
// the one that it has.
func readDescription(text []byte, version string) (part, error) {
	document, err := parseDescription(text)
	if err == nil && version != "" {
		document.at("info", "version").node.SetString(version)
	}
	return document, err
}

// parseDescription returns the root of a document in YAML. One that cannot be read has code
// core.CodeInternal.
func parseDescription(text []byte) (part, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return part{}, core.Wrap(core.CodeInternal, err, "the description of the API cannot be read")
	}
	return part{document.Content[0], document.Content[0]}, nil
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
	return nil, core.Errorf(core.CodeInternal, "the description of the API has something that JSON has not in line %d", node.Line)
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

// description serves the document, to programs and to people. Both forms are made
// when somebody first asks for them.
type description struct{ document, page func() (rendered, error) }

// rendered is an answer that never changes.
type rendered struct {
	kind string
	// policy is the Content-Security-Policy, "" for that of all answers.
	policy string
	body   []byte
	tag    string
}

// newDescription returns a description, written in YAML, of the service below at.
func newDescription(text []byte, version string, at rest.Base) description {
	return description{
		document: sync.OnceValues(func() (rendered, error) {
			document, err := readDescription(text, version)
			if err != nil {
				return rendered{}, err
			}
			document.at("servers").node.Content[0].Content[1].SetString(at.Outside("/"))
			body, err := appendJSON(nil, document.node)
			return tagged(rendered{kind: "application/json", body: body}), err
		}),
		page: sync.OnceValues(func() (rendered, error) {
			document, err := readDescription(text, version)
			if err != nil {
				return rendered{}, err
			}
			page, err := renderManual(document)
			return tagged(page), err
		}),
	}
}

func tagged(answer rendered) rendered {
	sum := sha256.Sum256(answer.body)
	answer.tag = `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
	return answer
}

// serveRendered answers with what is the same for everybody, or with 304.
func serveRendered(get func() (rendered, error)) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		answer, err := get()
		if err != nil {
			return err
		}
		header := w.Header()
		header.Del("Vary")
		header.Set("Cache-Control", "public, no-cache")
		header.Set("Content-Type", answer.kind)
		header.Set("ETag", answer.tag)
		if answer.policy != "" {
			header.Set("Content-Security-Policy", answer.policy)
		}
		rest.ServeWhole(w, r, answer.body)
		return nil
	}
}
