package core

import (
	"strings"
	"unicode/utf8"
)

// Limits of shared templates.
const (
	// MaxSharedTemplates bounds the templates of a workspace.
	MaxSharedTemplates             = 100
	MaxSharedTemplateNameChars     = 80
	MaxSharedTemplateDescription   = 500
	MaxSharedTemplateBytes         = 16 << 20
	MaxSharedTemplateBytesTogether = 256 << 20
)

// SharedTemplate is a project that a workspace shares as a starting point: the files of a project
// as they were when somebody took them.
type SharedTemplate struct {
	ID          ID
	WorkspaceID ID
	// ProjectID is the project that the files come from, nil once it is removed permanently.
	ProjectID   *ID
	Name        string
	Description string
	// WithSeed says that the records of the project's seed file come along.
	WithSeed bool
	// Bytes is the size of the archive.
	Bytes int64
	// TakenAt is when the files were taken.
	TakenAt   Time
	CreatedBy ID
	CreatedAt Time
	UpdatedAt Time
}

// SharedContent is the content of a shared template: a zip archive of files, and a picture of their
// project, a PNG. Picture is nil without one.
type SharedContent struct {
	Archive []byte
	Picture []byte
}

// CheckSharedTemplates returns CodeConflict unless a workspace that has these templates may have
// one more, and CodePayloadTooLarge if all of them would be too large together.
func CheckSharedTemplates(others []SharedTemplate, added SharedTemplate) error {
	if len(others) >= MaxSharedTemplates {
		return Errorf(CodeConflict, "a workspace may have at most %d templates: delete one first", MaxSharedTemplates)
	}
	total := added.Bytes
	for _, other := range others {
		total += other.Bytes
	}
	if total > MaxSharedTemplateBytesTogether {
		return Errorf(CodePayloadTooLarge, "the templates of a workspace may take at most %d MiB together, packed: delete one first", MaxSharedTemplateBytesTogether>>20)
	}
	return nil
}

// CheckSharedDescription returns the description of a shared template, or CodeValidationFailed for
// one that is too long.
func CheckSharedDescription(text string) (string, error) {
	text = strings.TrimSpace(text)
	if utf8.RuneCountInString(text) > MaxSharedTemplateDescription || strings.ContainsRune(text, 0) || !utf8.ValidString(text) {
		return "", Errorf(CodeValidationFailed, "description must have at most %d characters", MaxSharedTemplateDescription)
	}
	return text, nil
}

// TravelsWithTemplate reports whether a file of a project belongs into a shared template. Files
// with environment values (.env) stay behind, and so does the seed unless it was asked for.
func TravelsWithTemplate(path ProjectPath, withSeed bool) bool {
	if path.String() == BackendSeedPath {
		return withSeed
	}
	for name := range strings.SplitSeq(strings.ToLower(path.String()), "/") {
		if strings.HasPrefix(name, ".env") && !strings.HasSuffix(name, ".example") && !strings.HasSuffix(name, ".sample") && !strings.HasSuffix(name, ".template") {
			return false
		}
	}
	return true
}
