package tailwind

import (
	"regexp"
	"strconv"
)

// Mistake is a mistake that the authors of a style sheet or a configuration have to fix.
type Mistake struct {
	// Path is the file's path, as a [Loader] gave it. It is empty if the compiled file as
	// a whole is to blame.
	Path string
	// Line and Column count from 1; 0 is unknown. Columns count UTF-16 units.
	Line, Column int
	Message      string
	// Names are the words of the sources that the message is about, for callers that
	// search for the place.
	Names []string
}

// Error implements error.
func (m *Mistake) Error() string { return m.Message }

var (
	placed = regexp.MustCompile(`(?s)^(/[^\n:]*):(\d+):(\d+): (.*)$`)
	failed = regexp.MustCompile(`(?s)^(/[^\n:]*) (cannot be evaluated: .*)$`)
	quoted = regexp.MustCompile("`([^`]+)`")
)

// maxMessage bounds a message of a project's own exceptions, in bytes.
const maxMessage = 1000

// mistakeOf parses a message of Tailwind's.
func mistakeOf(message, sheet string) *Mistake {
	if len(message) > maxMessage {
		message = message[:maxMessage] + "…"
	}
	result := &Mistake{Path: sheet, Message: message}
	if match := placed.FindStringSubmatch(message); match != nil {
		result.Path, result.Message = match[1], match[4]
		result.Line, _ = strconv.Atoi(match[2])
		result.Column, _ = strconv.Atoi(match[3])
	} else if match := failed.FindStringSubmatch(message); match != nil {
		result.Path, result.Message = match[1], "this "+match[2]
	}
	for _, match := range quoted.FindAllStringSubmatch(message, -1) {
		result.Names = append(result.Names, match[1])
	}
	return result
}
