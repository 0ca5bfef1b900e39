package core

// ReferenceType says what a reference names.
type ReferenceType string

// The types of references.
const (
	// ReferenceFile names a file of the project, whose present text the model is given.
	ReferenceFile ReferenceType = "file"
	// ReferenceElement names an element that the person picked on the page.
	ReferenceElement ReferenceType = "element"
)

// Reference is the subject of a message: a file, or an element of a page and its place in a file.
type Reference struct {
	Type ReferenceType `json:"type"`
	Path string        `json:"path"`
	// Tag is an element's, such as a. Line and Column are its place in the file, from 1.
	Tag    string `json:"tag,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
}

// MaxReferences bounds the references of a message.
const MaxReferences = 20
