// Package edits finds the place in a file that an edit of the agent means, and makes the edit.
//
// The old text of an edit must occur exactly once, unless the edit is for all places: literally,
// else except for line endings and trailing white space, else except for one uniform indent. It
// is never matched by likeness. An edit that does not fit is refused with the lines that the
// model probably meant (nearest.go). apply.go makes several edits, all or none.
package edits

import "strings"

// ByteOrderMark begins some files.
const ByteOrderMark = "\ufeff"

// target is where an edit lands: content[start:end] becomes text.
type target struct {
	start, end int
	text       string
}

// Fitness says how an oldText was found.
type Fitness string

// The ways in which oldText may match a file, the strictest first. There is no
// fuzzy matching.
const (
	FitsExactly Fitness = ""
	fitsLines   Fitness = "line endings and white space at the ends of lines did not count"
	fitsIndent  Fitness = "the indent of all lines was shifted by the same amount"
)

const (
	// maxLandings bounds how many matches of an oldText are collected; two already
	// make it ambiguous. maxPlaces bounds those of an edit for all places.
	maxLandings = 20
	maxPlaces   = 5000
	// maxCompared bounds the comparisons of lines: a file of equal lines takes its
	// number of lines times that of oldText.
	maxCompared = 200_000_000
)

// findLandings returns the places where content matches oldText, each with newText
// adapted to it. It uses the strictest fitness that has any match. An edit may be
// made only if there is exactly one. It returns at most so many places.
//
// newText is taken literally, with the line endings of the file. A file keeps its
// byte order mark, and its final line break or the lack of one.
func findLandings(content, oldText, newText string, most int) ([]target, Fitness) {
	mark := len(content) - len(strings.TrimPrefix(content, ByteOrderMark))
	oldText, newText = strings.TrimPrefix(oldText, ByteOrderMark), strings.TrimPrefix(newText, ByteOrderMark)
	if oldText == "" {
		return nil, FitsExactly
	}
	body := content[mark:]
	var found []target
	how := FitsExactly
	if !cutsBreak(body, oldText) {
		found = exactLandings(body, oldText, newText, most)
	}
	if len(found) == 0 {
		found, how = unixLandings(body, oldText, newText, most), fitsLines
	}
	if len(found) == 0 {
		found = lineLandings(body, oldText, newText, most, sameLines)
	}
	if len(found) == 0 {
		found, how = lineLandings(body, oldText, newText, most, shiftedLines), fitsIndent
	}
	for i := range found {
		found[i].text = withEndings(found[i].text, endingIn(body, found[i].start, found[i].end))
		found[i].text = keepFinalBreak(body, found[i])
		found[i].start += mark
		found[i].end += mark
	}
	return found, how
}

// cutsBreak reports whether oldText begins or ends in the middle of a Windows line
// ending of the file.
func cutsBreak(content, oldText string) bool {
	return strings.Contains(content, "\r\n") && (strings.HasPrefix(oldText, "\n") || strings.HasSuffix(oldText, "\r"))
}

// exactLandings also finds overlapping places, as separate ones.
func exactLandings(content, oldText, newText string, most int) []target {
	var found []target
	for from := 0; len(found) < most; {
		at := strings.Index(content[from:], oldText)
		if at < 0 {
			break
		}
		at += from
		found = append(found, target{at, at + len(oldText), newText})
		from = at + 1
	}
	return found
}

// unixLandings looks without the "\r" of Windows line endings.
func unixLandings(content, oldText, newText string, most int) []target {
	if !strings.Contains(content, "\r\n") && !strings.Contains(oldText, "\r\n") {
		return nil
	}
	var plain strings.Builder
	offsets := make([]int, 0, len(content))
	for i := range len(content) {
		if content[i] == '\r' && i+1 < len(content) && content[i+1] == '\n' {
			continue
		}
		plain.WriteByte(content[i])
		offsets = append(offsets, i)
	}
	found := exactLandings(plain.String(), UnixEndings(oldText), newText, most)
	for i, at := range found {
		start, end := offsets[at.start], offsets[at.end-1]+1
		if content[start] == '\n' && start > 0 && content[start-1] == '\r' {
			start--
		}
		found[i].start, found[i].end = start, end
	}
	return found
}

// textLine is a line of a content: its text without trailing white space, and the
// offsets of its start, of its line ending, and of the next line.
type textLine struct {
	text             string
	start, end, next int
}

func linesOf(content string) []textLine {
	var lines []textLine
	for start := 0; start < len(content); {
		next := len(content)
		if length := strings.IndexByte(content[start:], '\n'); length >= 0 {
			next = start + length + 1
		}
		line := strings.TrimSuffix(content[start:next], "\n")
		line = strings.TrimSuffix(line, "\r")
		lines = append(lines, textLine{strings.TrimRight(line, " \t\r"), start, start + len(line), next})
		start = next
	}
	return lines
}

// lineLandings looks for oldText as whole lines. fits says whether lines of the
// file match those of oldText, and returns newText adapted to them.
func lineLandings(content, oldText, newText string, most int, fits func(file []textLine, old []string, newText string) (string, bool)) []target {
	old := strings.Split(UnixEndings(oldText), "\n")
	closed := old[len(old)-1] == "" && len(old) > 1
	if closed {
		old = old[:len(old)-1]
	}
	for i, line := range old {
		old[i] = strings.TrimRight(line, " \t\r")
	}
	if strings.Join(old, "") == "" {
		return nil
	}
	file := linesOf(content)
	if len(file)*len(old) > maxCompared {
		return nil
	}
	var found []target
	for at := 0; at+len(old) <= len(file) && len(found) < most; at++ {
		text, fit := fits(file[at:at+len(old)], old, newText)
		if !fit {
			continue
		}
		end := file[at+len(old)-1].end
		if closed {
			end = file[at+len(old)-1].next
		}
		found = append(found, target{file[at].start, end, text})
	}
	return found
}

func sameLines(file []textLine, old []string, newText string) (string, bool) {
	for i, line := range old {
		if file[i].text != line {
			return "", false
		}
	}
	return newText, true
}

// shiftedLines finds lines that differ from those of oldText by the same indent
// throughout, and shifts newText by it.
func shiftedLines(file []textLine, old []string, newText string) (string, bool) {
	var indent string
	var deeper, known bool
	for i, line := range old {
		if line == "" || file[i].text == "" {
			if line != file[i].text {
				return "", false
			}
			continue
		}
		if !known {
			deeper, known = len(file[i].text) > len(line), true
			indent = strings.TrimSuffix(file[i].text, line)
			if !deeper {
				indent = strings.TrimSuffix(line, file[i].text)
			}
			if indent == "" || strings.Trim(indent, " \t") != "" {
				return "", false
			}
		}
		if deeper && indent+line != file[i].text || !deeper && line != indent+file[i].text {
			return "", false
		}
	}
	return shift(newText, indent, deeper)
}

// shift indents all lines of a text, or removes the indent; it returns false if a
// line does not have it.
func shift(text, indent string, deeper bool) (string, bool) {
	lines := strings.Split(UnixEndings(text), "\n")
	for i, line := range lines {
		switch {
		case strings.TrimSpace(line) == "":
		case deeper:
			lines[i] = indent + line
		case !strings.HasPrefix(line, indent):
			return "", false
		default:
			lines[i] = line[len(indent):]
		}
	}
	return strings.Join(lines, "\n"), true
}

// UnixEndings returns a text with "\n" as its only line ending.
func UnixEndings(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// withEndings gives a text the line ending of its file; "" leaves it unchanged.
func withEndings(text, ending string) string {
	switch ending {
	case "":
		return text
	case "\n":
		return UnixEndings(text)
	}
	return strings.ReplaceAll(UnixEndings(text), "\n", ending)
}

// endingIn returns the first line ending in content[start:end], else the first in
// content, else "".
func endingIn(content string, start, end int) string {
	for _, part := range []string{content[start:end], content} {
		if at := strings.IndexByte(part, '\n'); at > 0 && part[at-1] == '\r' {
			return "\r\n"
		} else if at >= 0 {
			return "\n"
		}
	}
	return ""
}

// keepFinalBreak adds or removes the line break of a landing at the end of the
// file, so that the file ends as it did.
func keepFinalBreak(content string, l target) string {
	rest := content[:l.start] + l.text
	if l.end < len(content) || rest == "" {
		return l.text
	}
	switch had, has := strings.HasSuffix(content, "\n"), strings.HasSuffix(rest, "\n"); {
	case had && !has:
		return l.text + endingIn(content, l.start, l.end)
	case !had && has:
		return strings.TrimSuffix(strings.TrimSuffix(l.text, "\n"), "\r")
	}
	return l.text
}

// WithHabits gives the new content of a file the file's byte order mark, and Windows
// line endings if it had no others.
func WithHabits(before, content string) string {
	if breaks := strings.Count(before, "\n"); breaks > 0 && breaks == strings.Count(before, "\r\n") {
		content = withEndings(content, "\r\n")
	}
	if strings.HasPrefix(before, ByteOrderMark) && !strings.HasPrefix(content, ByteOrderMark) {
		content = ByteOrderMark + content
	}
	return content
}
