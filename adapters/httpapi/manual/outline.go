package manual

import (
	"iter"
	"strings"

	"gopkg.in/yaml.v3"
)

// Part is a place in an OpenAPI document. Stepping into a reference steps into its
// target. A missing place is a Part without a node: it has no members, no elements and no
// text.
type Part struct{ document, node *yaml.Node }

// Exists reports whether the document has the place.
func (p Part) Exists() bool { return p.node != nil }

// At steps into nested members.
func (p Part) At(path ...string) Part {
	for _, name := range path {
		found := Part{document: p.document}
		for member, value := range p.Members() {
			if member == name {
				found = value
			}
		}
		p = found
	}
	return p
}

// Members returns the members of an object, in the order of the document.
func (p Part) Members() iter.Seq2[string, Part] {
	return func(yield func(string, Part) bool) {
		target := p.target().node
		if target == nil || target.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(target.Content); i += 2 {
			if !yield(target.Content[i].Value, Part{p.document, target.Content[i+1]}) {
				return
			}
		}
	}
}

// Elements returns the elements of a list.
func (p Part) Elements() iter.Seq[Part] {
	return func(yield func(Part) bool) {
		if p.node == nil || p.node.Kind != yaml.SequenceNode {
			return
		}
		for _, element := range p.node.Content {
			if !yield(Part{p.document, element}) {
				return
			}
		}
	}
}

// Text returns a scalar as written in the document, "" for anything else.
func (p Part) Text() string {
	if p.node == nil || p.node.Kind != yaml.ScalarNode {
		return ""
	}
	return p.node.Value
}

// Texts returns a scalar, or the scalars of a list.
func (p Part) Texts() []string {
	if text := p.Text(); text != "" {
		return []string{text}
	}
	var all []string
	for element := range p.Elements() {
		all = append(all, element.Text())
	}
	return all
}

// Reference returns the target of a reference, such as #/components/schemas/Id, "" for
// anything else.
func (p Part) Reference() string {
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

// target returns the target of a reference, and otherwise the part itself.
func (p Part) target() Part {
	reference := p.Reference()
	if reference == "" {
		return p
	}
	whole := Part{p.document, p.document}
	return whole.At(strings.Split(strings.TrimPrefix(reference, "#/"), "/")...).target()
}
