package project

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
)

// tagAttributes are the attributes of one tag, by lower-case name, as spans of
// its text.
type tagAttributes map[string]span

// span is a range of bytes. It includes the quotes of a quoted value.
type span struct{ start, end int }

// value returns an attribute with quotes removed and references resolved.
func (a tagAttributes) value(raw []byte, name string) string {
	at, has := a[name]
	if !has {
		return ""
	}
	text := raw[at.start:at.end]
	if len(text) >= 2 && (text[0] == '"' || text[0] == '\'') {
		text = text[1 : len(text)-1]
	}
	return html.UnescapeString(string(text))
}

const tagSpace = " \t\r\n\f"

// scanTag splits a start tag by the HTML standard. The first attribute of a name counts.
// Attributes without a value are left out.
func scanTag(raw []byte) (tag string, attributes tagAttributes) {
	attributes = make(tagAttributes)
	at := 1
	tag, at = word(raw, at, tagSpace+"/>")
	for at < len(raw) && raw[at] != '>' {
		at = skipAny(raw, at, tagSpace+"/")
		var name string
		if name, at = word(raw, at, tagSpace+"/>="); name == "" && at < len(raw) && raw[at] != '=' {
			break
		}
		next := skipAny(raw, at, tagSpace)
		if next >= len(raw) || raw[next] != '=' {
			continue
		}
		value := valueSpan(raw, skipAny(raw, next+1, tagSpace))
		if _, seen := attributes[name]; !seen && value.end > value.start {
			attributes[name] = value
		}
		at = value.end
	}
	return tag, attributes
}

// word returns the lower-case text up to one of the stops.
func word(raw []byte, at int, stops string) (text string, end int) {
	length := bytes.IndexAny(raw[at:], stops)
	if length < 0 {
		length = len(raw) - at
	}
	return strings.ToLower(string(raw[at : at+length])), at + length
}

func skipAny(raw []byte, at int, set string) int {
	for at < len(raw) && strings.IndexByte(set, raw[at]) >= 0 {
		at++
	}
	return at
}

// valueSpan returns the value that begins at at.
func valueSpan(raw []byte, at int) span {
	if at < len(raw) && (raw[at] == '"' || raw[at] == '\'') {
		if length := bytes.IndexByte(raw[at+1:], raw[at]); length >= 0 {
			return span{at, at + length + 2}
		}
		return span{at, len(raw)}
	}
	_, end := word(raw, at, tagSpace+">")
	return span{at, end}
}
