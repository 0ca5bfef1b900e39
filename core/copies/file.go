package copies

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/merge"
)

// maxMergedBytes bounds each of the three texts of a merge.
const maxMergedBytes = 8 << 20

// content is a file of one side of a merge, nil if there is none.
type content struct {
	data       []byte
	executable bool
}

func (c *content) equal(other *content) bool {
	if c == nil || other == nil {
		return c == other
	}
	return c.executable == other.executable && bytes.Equal(c.data, other.data)
}

// change is the change that gives path this content; from is what the path has.
func (c *content) change(path core.ProjectPath, from *content) core.FileChange {
	if c == nil {
		return core.FileChange{Op: core.OpDelete, Path: path}
	}
	write := core.FileChange{Op: core.OpWrite, Path: path, Content: c.data}
	if from == nil && c.executable || from != nil && from.executable != c.executable {
		executable := c.executable
		write.Executable = &executable
	}
	return write
}

// sides are the three states of a file.
type sides struct{ base, project, copy *content }

// merged returns what the file becomes. With a conflict it is what a copy shows of it, and why
// says what happened on both sides.
func (s sides) merged() (result *content, why string) {
	switch {
	case s.copy.equal(s.base), s.copy.equal(s.project):
		return s.project, ""
	case s.project.equal(s.base):
		return s.copy, ""
	case s.project == nil:
		return s.copy, "was deleted in the project and changed in the copy"
	case s.copy == nil:
		return s.project, "was deleted in the copy and changed in the project"
	}
	result = &content{executable: s.copy.executable}
	if s.base != nil && s.base.executable == s.copy.executable {
		result.executable = s.project.executable
	}
	if bytes.Equal(s.project.data, s.copy.data) {
		result.data = s.copy.data
		return result, ""
	}
	var before []byte
	if s.base != nil {
		before = s.base.data
	}
	if !isText(before) || !isText(s.project.data) || !isText(s.copy.data) {
		return s.copy, "is not text and was changed in the project and in the copy"
	}
	return result, result.merge(before, s.project.data, s.copy.data)
}

func (c *content) merge(base, project, made []byte) (why string) {
	var places int
	c.data, places = merge.Marked(base, made, project, labels())
	switch {
	case c.data == nil:
		c.data = []byte{}
	case places == 1:
		return "was changed in the project and in the copy at the same place"
	case places > 1:
		return fmt.Sprintf("was changed in the project and in the copy at the same %d places", places)
	}
	return ""
}

// labels are the names of both sides in conflict markers.
func labels() merge.Labels { return merge.Labels{Ours: "this copy", Theirs: "the project"} }

// isText reports whether content can be merged by lines.
func isText(content []byte) bool {
	return len(content) <= maxMergedBytes && utf8.Valid(content) && bytes.IndexByte(content, 0) < 0
}
