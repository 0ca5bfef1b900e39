package httpapi

import (
	"iter"
	"strings"

	"gopkg.in/yaml.v3"
)

// part is a place in an OpenAPI document. Stepping into a reference steps into
// what it refers to. A place that the document has not is a part without a node:
// it has no members, no elements and no text.
type part struct{ document, node *yaml.Node }

// exists reports whether the document has the place.
func (p part) exists() bool { return p.node != nil }

// at steps into members, each of the one before.
func (p part) at(path ...string) part {
	for _, name := range path {
		found := part{document: p.document}
		for member, value := range p.members() {
			if member == name {
				found = value
			}
		}
		p = found
	}
	return p
}

// members are the members of an object, in the order of the document.
func (p part) members() iter.Seq2[string, part] {
	return func(yield func(string, part) bool) {
		target := p.target().node
		if target == nil || target.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(target.Content); i += 2 {
			if !yield(target.Content[i].Value, part{p.document, target.Content[i+1]}) {
				return
			}
		}
	}
}

// elements are those of a list.
func (p part) elements() iter.Seq[part] {
	return func(yield func(part) bool) {
		if p.node == nil || p.node.Kind != yaml.SequenceNode {
			return
		}
		for _, element := range p.node.Content {
			if !yield(part{p.document, element}) {
				return
			}
		}
	}
}

// text is a scalar, as it stands in the document; "" for anything else.
func (p part) text() string {
	if p.node == nil || p.node.Kind != yaml.ScalarNode {
		return ""
	}
	return p.node.Value
}

// texts are a scalar, or the scalars of a list.
func (p part) texts() []string {
	if text := p.text(); text != "" {
		return []string{text}
	}
	var all []string
	for element := range p.elements() {
		all = append(all, element.text())
	}
	return all
}

// reference is what a reference refers to, such as #/components/schemas/Id; ""
// for what is none.
func (p part) reference() string {
	if p.node == nil || p.node.Kind != yaml.MappingNode {
		return ""
	}
	for i := 0; i+1 < len(p.node.Content); i += 2 {
		if p.node.Content[i].Value == "$ref" {
			return p.node.Content[i+1].Value
		}
	}
	return ""
}

// target is what a reference refers to, and otherwise the part itself.
func (p part) target() part {
	reference := p.reference()
	if reference == "" {
		return p
	}
	whole := part{p.document, p.document}
	return whole.at(strings.Split(strings.TrimPrefix(reference, "#/"), "/")...).target()
}
