package conform

import (
	"iter"
	"net/url"
	"strconv"
	"strings"
)

// node is a place in a document, with its JSON pointer. Stepping into a reference steps
// into its target. A missing place has no value.
type node struct {
	document any
	pointer  string
	value    any
}

// pointerSteps escapes a name as a step of a JSON pointer (RFC 6901).
var pointerSteps = strings.NewReplacer("~", "~0", "/", "~1")

// at steps into nested members.
func (n node) at(path ...string) node {
	for _, name := range path {
		n = n.target().child(name)
	}
	return n
}

// target returns the target of a reference, and otherwise the node itself.
func (n node) target() node {
	object, _ := n.value.(map[string]any)
	reference, _ := object["$ref"].(string)
	if reference == "" {
		return n
	}
	found := node{document: n.document, value: n.document}
	for name := range strings.SplitSeq(strings.TrimPrefix(reference, "#/"), "/") {
		found = found.child(name)
	}
	return found.target()
}

func (n node) child(name string) node {
	child := node{document: n.document, pointer: n.pointer + "/" + url.PathEscape(pointerSteps.Replace(name))}
	switch value := n.value.(type) {
	case map[string]any:
		child.value = value[name]
	case []any:
		if i, err := strconv.Atoi(name); err == nil && i < len(value) {
			child.value = value[i]
		}
	}
	return child
}

// members are the members of an object.
func (n node) members() iter.Seq2[string, node] {
	return func(yield func(string, node) bool) {
		target := n.target()
		object, _ := target.value.(map[string]any)
		for name := range object {
			if !yield(name, target.child(name)) {
				return
			}
		}
	}
}

// elements are those of a list.
func (n node) elements() iter.Seq[node] {
	return func(yield func(node) bool) {
		list, _ := n.value.([]any)
		for i := range list {
			if !yield(n.child(strconv.Itoa(i))) {
				return
			}
		}
	}
}

func (n node) text() string {
	text, _ := n.value.(string)
	return text
}

// closeAnswers closes the objects in all answers of a document.
func (n node) closeAnswers() {
	for _, item := range n.at("paths").members() {
		for _, operation := range item.members() {
			for _, response := range operation.at("responses").members() {
				response.closeContents()
			}
		}
	}
	for _, response := range n.at("components", "responses").members() {
		response.closeContents()
	}
	for _, schema := range n.at("components", "schemas").members() {
		schema.closeObjects(false)
	}
}

func (n node) closeContents() {
	for _, media := range n.at("content").members() {
		media.child("schema").closeObjects(true)
		media.child("x-item-schema").closeObjects(true)
	}
}

// closeObjects makes a schema, and the schemas of its members, refuse members that they
// do not name. A schema that is part of a composition is not closed itself: whole says
// that this one describes a whole value.
func (n node) closeObjects(whole bool) {
	schema, isSchema := n.value.(map[string]any)
	if !isSchema {
		return
	}
	for name := range schema {
		switch name {
		case "properties":
			for _, member := range n.child(name).members() {
				member.closeObjects(true)
			}
		case "items", "additionalProperties":
			n.child(name).closeObjects(true)
		case "allOf", "anyOf", "oneOf":
			for branch := range n.child(name).elements() {
				branch.closeObjects(false)
			}
		}
	}
	if whole {
		schema["unevaluatedProperties"] = false
	}
}
