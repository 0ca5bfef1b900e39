package writegate

import (
	"path"
	"strings"
	"unicode"

	"github.com/atelierhq/atelier/core/agent/edits"
)

// How much a write may remove from a file without being questioned.
const (
	// A file that is larger than one of these may not shrink below leastPercent.
	smallFileLines = 30
	smallFileBytes = 1 << 10
	leastPercent   = 40
	// leastKeptLines is how many lines a write must share with the file before the lines behind
	// them count as missing. leastLostLines is how many lines at the end may go with a write that
	// also changes others. lostPerAdded is how many may go for each line that replaces them.
	leastKeptLines = 3
	leastLostLines = 3
	lostPerAdded   = 4
	// sureLoss is a loss near the end, in lines, that counts even if the file ends as before.
	sureLoss = 10
)

// findLoss says what a model probably did not mean to leave out of a file: most of it, or its
// end. It returns "" if nothing is suspicious.
func findLoss(name, before, after string) string {
	before, after = plainEnd(before), plainEnd(after)
	if element := unclosedFrame(name, after); element != "" && (before == "" || unclosedFrame(name, before) == "") {
		return "<" + element + "> is never closed"
	}
	large := strings.Count(before, "\n")+1 > smallFileLines || len(before) > smallFileBytes
	switch {
	case before == "" || before == after:
		return ""
	case after == "":
		return "the file would be empty"
	case large && len(after)*100 < len(before)*leastPercent:
		return "the file would shrink to less than half"
	case strings.HasPrefix(before, after) && strings.Trim(before[len(after):], "; \t\n") != "":
		return "the content stops before the end of the file"
	case losesEnd(before, after):
		return "the end of the file would be lost"
	}
	return ""
}

// unclosedFrame returns the element around a whole page or picture that lacks its end tag. HTML
// allows that for a page, but hardly any page does it.
func unclosedFrame(name, text string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".html", ".htm", ".svg":
		text = strings.ToLower(text)
		for _, element := range []string{"html", "body", "svg"} {
			if strings.Contains(text, "<"+element) && !strings.Contains(text, "</"+element) {
				return element
			}
		}
	}
	return ""
}

func plainEnd(text string) string {
	return strings.TrimRightFunc(edits.UnixEndings(strings.TrimPrefix(text, edits.ByteOrderMark)), unicode.IsSpace)
}

// losesEnd reports whether the new content has the lines at the end of a file nowhere, and
// nothing that replaces them.
func losesEnd(before, after string) bool {
	old, fresh := fullLines(before), fullLines(after)
	kept := lastShared(old, fresh)
	lost := len(old) - kept
	added := len(fresh) - lastShared(fresh, old)
	if saying(old[:kept]) < leastKeptLines || saying(old[kept:]) < leastLostLines || added*lostPerAdded > lost {
		return false
	}
	return lost >= sureLoss || !endsAlike(old, fresh)
}

// fullLines are the lines that are not blank, without their indent.
func fullLines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// lastShared returns the number of lines up to the last one that others also has, counting
// repetitions.
func lastShared(lines, others []string) int {
	left := map[string]int{}
	for _, line := range others {
		left[line]++
	}
	last := 0
	for i, line := range lines {
		if left[line] > 0 {
			left[line]--
			last = i + 1
		}
	}
	return last
}

// saying counts the lines with at least three letters in them.
func saying(lines []string) int {
	n := 0
	for _, line := range lines {
		if isSaying(line) {
			n++
		}
	}
	return n
}

func isSaying(line string) bool {
	letters := 0
	for _, r := range line {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	return letters >= 3
}

// endsAlike compares the ends up to the last line that says something.
func endsAlike(old, fresh []string) bool {
	for i := 1; i <= len(old) && i <= len(fresh); i++ {
		line := old[len(old)-i]
		if line != fresh[len(fresh)-i] {
			return false
		}
		if isSaying(line) {
			return true
		}
	}
	return len(old) == len(fresh)
}
