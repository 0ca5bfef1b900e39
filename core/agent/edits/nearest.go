package edits

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/atelierhq/atelier/core"
)

// Bounds of the lines that a refusal shows.
const (
	maxShownLines = 40
	maxShownBytes = 4 << 10
	// ShownAround is how many lines of context are shown on each side of a place.
	ShownAround = 3
	// maxWeighed bounds the lines of oldText that are compared to find the nearest
	// place.
	maxWeighed = 200
)

// missError says why an edit cannot be made, with the lines that the model probably meant.
func missError(path core.ProjectPath, content, oldText string, found []target) *core.Error {
	if len(found) > 1 {
		return ambiguityError(path, content, found)
	}
	lines := linesOf(content)
	start, end := nearest(lines, oldText)
	if start == end {
		return core.Errorf(core.CodeValidationFailed, Misfit+": it does not occur in %s, nor anything like it. Read the file, then replace a whole range of its lines", path)
	}
	return core.Errorf(core.CodeValidationFailed, Misfit+": it does not occur in %s. These lines are the most similar, each after its number and a bar:\n%s"+
		"Replace a whole range: copy exactly these lines as oldText, without the numbers and bars", path, numbered(lines, start, end))
}

func ambiguityError(path core.ProjectPath, content string, found []target) *core.Error {
	lines := linesOf(content)
	var places []string
	var shown strings.Builder
	for i, at := range found {
		line := lineAt(lines, at.start)
		places = append(places, fmt.Sprint(line+1))
		if i < maxShownPlaces {
			shown.WriteString(numbered(lines, line-ShownAround, lineAt(lines, at.end-1)+1+ShownAround))
			shown.WriteString("…\n")
		}
	}
	where := fmt.Sprintf("it occurs in %s %d times, at the lines %s", path, len(found), strings.Join(places, ", "))
	return core.Errorf(core.CodeValidationFailed, Misfit+": %s. These are the lines around, each after its number and a bar:\n%s"+
		"Copy exactly as many of these lines as identify the place, without the numbers and bars, or set replaceAll", where, shown.String())
}

// maxShownPlaces bounds the places of an ambiguous oldText that are shown.
const maxShownPlaces = 3

// lineAt returns the index of the line that contains an offset.
func lineAt(lines []textLine, offset int) int {
	at, _ := slices.BinarySearchFunc(lines, offset, func(line textLine, offset int) int { return line.next - 1 - offset })
	return min(at, len(lines)-1)
}

// Numbered returns the lines of a content behind their numbers, from start to before end,
// counted from 0. It shows at most 40 lines and 4 KiB.
func Numbered(content string, start, end int) string {
	return numbered(linesOf(UnixEndings(content)), start, end)
}

// numbered writes lines behind their numbers, from start to before end.
func numbered(lines []textLine, start, end int) string {
	start, end = max(0, start), min(end, len(lines))
	var out strings.Builder
	for i, line := range lines[start:min(end, start+maxShownLines)] {
		row := fmt.Sprintf("%d|%s\n", start+i+1, line.text)
		if out.Len()+len(row) > maxShownBytes {
			break
		}
		out.WriteString(row)
	}
	return out.String()
}

// nearest returns the range of lines that has most of oldText's words, with
// context; it is empty if no line has any.
func nearest(lines []textLine, oldText string) (start, end int) {
	wanted := linesOf(UnixEndings(oldText))
	wanted = wanted[:min(len(wanted), maxWeighed)]
	whole, words := map[string]bool{}, map[string]bool{}
	for _, line := range wanted {
		whole[strings.TrimSpace(line.text)] = true
		for _, word := range wordsOf(line.text) {
			words[word] = true
		}
	}
	best, sum := 0.0, 0.0
	weights := make([]float64, len(lines))
	for i, line := range lines {
		weights[i] = likeness(line.text, whole, words)
		sum += weights[i]
		if i >= len(wanted) {
			sum -= weights[i-len(wanted)]
		}
		if sum > best+1e-9 {
			best, start, end = sum, i+1-len(wanted), i+1
		}
	}
	if best == 0 {
		return 0, 0
	}
	return max(0, start-ShownAround), min(len(lines), end+ShownAround)
}

// likeness is 2 for a line of oldText, and else the share of its words that are
// oldText's too.
func likeness(line string, whole, words map[string]bool) float64 {
	has := wordsOf(line)
	if len(has) == 0 {
		return 0
	}
	if whole[strings.TrimSpace(line)] {
		return 2
	}
	common := 0
	for _, word := range has {
		if words[word] {
			common++
		}
	}
	return float64(common) / float64(len(has))
}

func wordsOf(line string) []string {
	return strings.FieldsFunc(line, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
}
