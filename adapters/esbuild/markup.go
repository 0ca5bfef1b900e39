package esbuild

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/evanw/esbuild/pkg/api"
	"golang.org/x/net/html"

	"github.com/atelierhq/atelier/adapters/esbuild/project"
)

// Elements by their end tags in the HTML standard (section 13.1.2): void elements have
// none, and omissible ones may omit it.
var (
	voidElements = []string{"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
	omissible    = []string{
		"html", "head", "body", "li", "dt", "dd", "p", "rt", "rp", "optgroup", "option", "colgroup", "caption",
		"thead", "tbody", "tfoot", "tr", "td", "th",
	}
)

// openElement is a start tag without its end tag yet.
type openElement struct {
	name string
	at   int
}

// markupMessages finds elements of a page that are never closed. Browsers repair
// everything else: an end tag closes the open elements inside its element, and a stray
// end tag is ignored.
func markupMessages(name string, text []byte) []api.Message {
	tokens := html.NewTokenizer(bytes.NewReader(text))
	var open []openElement
	for at := 0; ; {
		kind := tokens.Next()
		raw := tokens.Raw()
		if problem := cutOff(kind, raw, at+len(raw) == len(text)); problem != "" {
			return append(unclosed(name, text, open), project.MessageAt(name, text, at, problem))
		}
		length := len(raw)
		switch kind {
		case html.ErrorToken:
			return unclosed(name, text, open)
		case html.StartTagToken:
			tag, _ := tokens.TagName()
			if element := string(tag); !slices.Contains(voidElements, element) && !slices.Contains(omissible, element) {
				open = append(open, openElement{element, at})
			}
		case html.EndTagToken:
			tag, _ := tokens.TagName()
			open = closeElement(open, string(tag))
		}
		at += length
	}
}

// cutOff returns the fault of a token that the end of the page truncates, "" for a
// whole token.
func cutOff(kind html.TokenType, raw []byte, last bool) string {
	whole := bytes.HasSuffix(raw, []byte(">"))
	switch {
	case kind == html.CommentToken && bytes.HasPrefix(raw, []byte("<!--")):
		short := len(raw) < len("<!---->")
		if whole && (short || bytes.HasSuffix(raw, []byte("-->")) || bytes.HasSuffix(raw, []byte("--!>"))) {
			return ""
		}
		return "a comment is never closed"
	case kind == html.ErrorToken && len(raw) > 0,
		(kind == html.CommentToken || kind == html.DoctypeToken) && !whole,
		kind == html.TextToken && last && (bytes.HasSuffix(raw, []byte("<")) || bytes.HasSuffix(raw, []byte("</"))):
		return "a tag is cut off"
	}
	return ""
}

func unclosed(name string, text []byte, open []openElement) []api.Message {
	var messages []api.Message
	for _, element := range open {
		messages = append(messages, project.MessageAt(name, text, element.at, fmt.Sprintf("<%s> is never closed", element.name)))
	}
	return messages
}

func closeElement(open []openElement, name string) []openElement {
	for i, element := range slices.Backward(open) {
		if element.name == name {
			return open[:i]
		}
	}
	return open
}
