package core

// VersionMark is people's mark on a version: a name, a star, or both.
type VersionMark struct {
	ProjectID ID
	// Version is the version's id.
	Version  string
	Name     string
	Starred  bool
	MarkedAt Time
}

// IsEmpty reports whether the mark says nothing.
func (m VersionMark) IsEmpty() bool { return m.Name == "" && !m.Starred }

// MaxVersionMarks is how many versions of a project have marks; MaxVersionName bounds a name, in
// characters.
const (
	MaxVersionMarks = 1000
	MaxVersionName  = 100
)
