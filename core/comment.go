package core

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// Bounds of comments.
const (
	// MaxCommentThreads is how many threads a project has at once, MaxCommentReplies how many replies a
	// thread has.
	MaxCommentThreads = 500
	MaxCommentReplies = 100
	// MaxCommentChars bounds the text of a comment.
	MaxCommentChars = 2000
	// MaxCommentPageChars bounds the path of a page, MaxSelectorChars the selector of an element, and
	// MaxElementTextChars the beginning of its text.
	MaxCommentPageChars = 1000
	MaxSelectorChars    = 1000
	MaxElementTextChars = 200
	// MinPageWidth and MaxPageWidth bound the width of the page that somebody saw, in CSS pixels.
	MinPageWidth = 1
	MaxPageWidth = 20000
)

// maxElementPlace bounds the line and the column of an element.
const maxElementPlace = 1_000_000

// Comment is a remark about a page of a project: the first comment of a thread, or a reply.
type Comment struct {
	ID        ID
	ProjectID ID
	// ThreadID is the first comment of the thread that a reply belongs to, nil for the first itself.
	ThreadID *ID
	Text     string
	// Anchor is where the thread is pinned; replies have none.
	Anchor CommentAnchor
	// ResolvedAt and ResolvedBy are 0 and "" while the thread is open.
	ResolvedAt Time
	ResolvedBy ID
	// CreatedBy may be somebody who has left.
	CreatedBy ID
	CreatedAt Time
	// EditedAt is when the text was changed last, 0 for never.
	EditedAt Time
}

// CommentAnchor is a place on a project's pages.
type CommentAnchor struct {
	// Page is the path of the page, with its query, such as /about?tab=2.
	Page string `json:"page"`
	// Width is the width of the page when the comment was written, in CSS pixels.
	Width int `json:"width"`
	// Element is the element with the pin, nil for a comment on the page as a whole.
	Element *PageElement `json:"element"`
}

// PageElement describes an element of a page so that it is found again after changes.
type PageElement struct {
	// Tag is the element's name in lower case, such as h1.
	Tag string `json:"tag"`
	// Path, Line and Column are the element's place in the sources, from 1; "" and 0 if unknown.
	Path   string `json:"path,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	// Selector matches the element in the page as it was.
	Selector string `json:"selector"`
	// Text is the beginning of the element's text; it may be empty.
	Text string `json:"text,omitempty"`
}

var elementTag = regexp.MustCompile(`^[a-z][a-z0-9:._-]{0,49}$`)

// CheckCommentText returns a comment's text without the space around it, or CodeValidationFailed, which
// names field.
func CheckCommentText(field, text string) (string, error) {
	text = strings.TrimSpace(text)
	if n := utf8.RuneCountInString(text); n < 1 || n > MaxCommentChars || !isPlainText(text) {
		return "", Errorf(CodeValidationFailed, "%s must have 1 to %d characters, without NUL characters: it has %d", field, MaxCommentChars, n)
	}
	return text, nil
}

// Check returns CodeValidationFailed, which names the field, unless all fields are within their bounds.
func (a CommentAnchor) Check() error {
	if !strings.HasPrefix(a.Page, "/") || utf8.RuneCountInString(a.Page) > MaxCommentPageChars || !isPlainText(a.Page) {
		return Errorf(CodeValidationFailed, "page must be a path that begins with / and has at most %d characters", MaxCommentPageChars)
	}
	if a.Width < MinPageWidth || a.Width > MaxPageWidth {
		return Errorf(CodeValidationFailed, "width must be %d to %d CSS pixels", MinPageWidth, MaxPageWidth)
	}
	if a.Element == nil {
		return nil
	}
	return a.Element.check()
}

func (e PageElement) check() error {
	if !elementTag.MatchString(e.Tag) {
		return Errorf(CodeValidationFailed, "element.tag must be the name of an element in lower case, such as h1")
	}
	if n := utf8.RuneCountInString(e.Selector); n < 1 || n > MaxSelectorChars || !isPlainText(e.Selector) {
		return Errorf(CodeValidationFailed, "element.selector must have 1 to %d characters", MaxSelectorChars)
	}
	if utf8.RuneCountInString(e.Text) > MaxElementTextChars || !isPlainText(e.Text) {
		return Errorf(CodeValidationFailed, "element.text must have at most %d characters", MaxElementTextChars)
	}
	if e.Path == "" {
		if e.Line != 0 || e.Column != 0 {
			return Errorf(CodeValidationFailed, "element.line and element.column need element.path")
		}
		return nil
	}
	if _, err := ParsePath(e.Path); err != nil {
		return Wrap(CodeValidationFailed, err, "element.path is not a path of the project: %q", Shorten(e.Path, MaxElementTextChars))
	}
	if e.Line < 1 || e.Line > maxElementPlace || e.Column < 1 || e.Column > maxElementPlace {
		return Errorf(CodeValidationFailed, "element.line and element.column must be 1 to %d", maxElementPlace)
	}
	return nil
}

func isPlainText(text string) bool { return utf8.ValidString(text) && !strings.ContainsRune(text, 0) }
