package manual

import "gopkg.in/yaml.v3"

// maxValueDepth bounds how deep Value follows references, which may lead back to themselves.
const maxValueDepth = 32

// Value returns the part as encoding/json would decode it, with numbers as the YAML has them
// and with the targets of references in place of the references. Members for which omit is
// true are left out; nil keeps all. What is deeper than 32 levels becomes nil.
func (p Part) Value(omit func(member string) bool) any { return p.value(omit, maxValueDepth) }

func (p Part) value(omit func(member string) bool, depth int) any {
	if p = p.target(); p.node == nil || depth == 0 {
		return nil
	}
	switch p.node.Kind {
	case yaml.MappingNode:
		object := map[string]any{}
		for name, member := range p.Members() {
			if omit == nil || !omit(name) {
				object[name] = member.value(omit, depth-1)
			}
		}
		return object
	case yaml.SequenceNode:
		list := []any{}
		for element := range p.Elements() {
			list = append(list, element.value(omit, depth-1))
		}
		return list
	}
	var scalar any
	if p.node.Decode(&scalar) != nil {
		return nil
	}
	return scalar
}
