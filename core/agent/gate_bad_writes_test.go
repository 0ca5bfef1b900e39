package agent_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"unicode/utf8"
)

func badMakers() []maker {
	return []maker{
		{"a cut anywhere", 300, cutAnywhere},
		{"a cut between two statements", 150, cutBetween},
		{"a change and a cut", 150, changeAndCut},
		{"a new file that is cut", 100, cutNew},
		{"a part left out", 200, leaveOut},
		{"a part left out of an edit", 60, leaveOutOfEdit},
		{"an edit that is cut", 40, cutEdit},
	}
}

// loses reports whether a cut takes more than white space and semicolons.
func loses(text string, at int) bool { return strings.Trim(text[at:], "; \t\r\n") != "" }

func cutAnywhere(random *rand.Rand, s source) (attempt, bool) {
	at := random.IntN(len(s.text))
	for !utf8.RuneStart(s.text[at]) {
		at--
	}
	return write("", s, s.text, s.text[:at]), loses(s.text, at)
}

// boundaries are the offsets of the lines that begin something at the top level,
// after the first.
func boundaries(text string) []int {
	var found []int
	at := 0
	for line := range strings.Lines(text) {
		if at > 0 && strings.TrimSpace(line) != "" && !strings.ContainsAny(line[:1], " \t})]</>|&?:.") {
			found = append(found, at)
		}
		at += len(line)
	}
	return found
}

func cutBetween(random *rand.Rand, s source) (attempt, bool) {
	found := boundaries(s.text)
	if len(found) == 0 {
		return attempt{}, false
	}
	at := found[random.IntN(len(found))]
	return write("", s, s.text, s.text[:at]), loses(s.text, at)
}

var number = regexp.MustCompile(`\b\d+\b`)

// changeLine changes a number or adds a comment in the beginning of a source, and
// returns that beginning.
func changeLine(random *rand.Rand, s source, end int) (string, bool) {
	if places := number.FindAllStringIndex(s.text[:end], -1); len(places) > 0 {
		at := places[random.IntN(len(places))][0]
		return s.text[:at] + "7" + s.text[at:end], true
	}
	places := boundaries(s.text[:end])
	if len(places) == 0 || s.ext() == ".json" {
		return "", false
	}
	at := places[random.IntN(len(places))]
	return s.text[:at] + comment(s, "Keep the order of these.") + s.text[at:end], true
}

func changeAndCut(random *rand.Rand, s source) (attempt, bool) {
	lines := s.lines()
	if len(lines) < 3*leastCut {
		return attempt{}, false
	}
	kept := leastCut + random.IntN(len(lines)-2*leastCut)
	at := len(strings.Join(lines[:kept], ""))
	if random.IntN(2) == 0 {
		at -= random.IntN(len(lines[kept-1]))
		for !utf8.RuneStart(s.text[at]) {
			at--
		}
	}
	changed, possible := changeLine(random, s, at)
	return write("", s, s.text, changed), possible
}

// cutNew cuts at the end of a line, inside a block that a later line at the top
// level closes.
func cutNew(random *rand.Rand, s source) (attempt, bool) {
	lines := s.lines()
	kept := 1 + random.IntN(len(lines)-1)
	next := lines[kept]
	inside := strings.HasPrefix(next, " ") || strings.HasPrefix(next, "\t")
	opened := strings.ContainsAny(strings.TrimRight(lines[kept-1], "\n"), "{([,;>")
	if !inside || !opened || s.ext() == ".html" && !strings.Contains(next, "<") {
		return attempt{}, false
	}
	return write("", s, "", strings.Join(lines[:kept], "")), true
}

// remark makes an elision.
func remark(random *rand.Rand) string {
	pick := func(from ...string) string { return from[random.IntN(len(from))] }
	noun := pick("code", "file", "component", "function", "styles", "content", "implementation", "markup", "logic", "imports", "handlers", "section", "page")
	switch random.IntN(8) {
	case 0:
		return pick("...", "…", "....", ". . .")
	case 1:
		return pick("... ", "…", "...") + pick("existing", "rest of", "rest of the", "remaining", "previous", "other", "original") + " " + noun + pick(" ...", "", "…", "...")
	case 2:
		return pick("rest of ", "Rest of the ", "The rest of the ", "rest of your ", "Rest of existing ") + noun + pick(" unchanged", " remains the same", " stays the same", "", " here", " goes here", " is unchanged", " as before")
	case 3:
		return pick("remaining ", "Remaining ", "the remaining ") + pick("code", "content", "implementation", "component", "functions", "markup", "sections") + pick("", " unchanged", " here", " ...", " stays the same")
	case 4:
		return pick("existing ", "Existing ", "(existing ", "[existing ") + pick("code", "implementation", "content", "logic", "imports") + pick("", " here", " unchanged", "...", " remains", " continues")
	case 5:
		return noun + " " + pick("remains unchanged", "unchanged", "stays the same", "omitted for brevity", "remains the same as before", "is unchanged")
	case 6:
		return pick("Keep", "keep", "Leave", "Include", "Add") + " the rest of the " + noun + pick(" here", "", " unchanged", " as it was before")
	}
	return pick("... unchanged ...", "same as before", "unchanged", "... same as before", "no changes needed here", "[rest of file]", "…rest unchanged…",
		"... (rest of the code stays the same) ...", "for brevity, the rest of the file is omitted", "... other "+noun+" ...", "... more "+noun, "etc...")
}

// comment writes a line of its own as a comment of the source's language.
func comment(s source, text string) string {
	switch s.ext() {
	case ".html":
		return "<!-- " + text + " -->\n"
	case ".css":
		return "/* " + text + " */\n"
	case ".json":
		return "// " + text + "\n"
	}
	return "// " + text + "\n"
}

// marker writes a remark in one of the forms that the source's language has.
func marker(random *rand.Rand, s source) string {
	text := remark(random)
	if strings.Contains(s.ext(), "sx") && random.IntN(3) == 0 {
		return "{/* " + text + " */}\n"
	}
	if s.ext() != ".html" && s.ext() != ".json" && random.IntN(4) == 0 {
		return "/* " + text + " */\n"
	}
	return comment(s, text)
}

// hole chooses a range of inner lines and returns the lines around it, with a
// marker instead of it.
func hole(random *rand.Rand, s source) (all []string, from, to int, stand string, possible bool) {
	lines := s.lines()
	if len(lines) < 10 {
		return nil, 0, 0, "", false
	}
	from = 1 + random.IntN(len(lines)-6)
	to = from + 2 + random.IntN(min(20, len(lines)-from-4))
	indent := lines[from][:len(lines[from])-len(strings.TrimLeft(lines[from], " \t"))]
	return lines, from, to, indent + marker(random, s), true
}

func leaveOut(random *rand.Rand, s source) (attempt, bool) {
	lines, from, to, stand, possible := hole(random, s)
	if !possible {
		return attempt{}, false
	}
	return write("", s, s.text, strings.Join(lines[:from], "")+stand+strings.Join(lines[to:], "")), true
}

func leaveOutOfEdit(random *rand.Rand, s source) (attempt, bool) {
	lines, from, to, stand, possible := hole(random, s)
	if !possible {
		return attempt{}, false
	}
	first, last := max(0, from-2), min(len(lines), to+2)
	old := strings.Join(lines[first:last], "")
	a := edit("", s, old, strings.Join(lines[first:from], "")+stand+strings.Join(lines[to:last], ""))
	return a, strings.Count(s.text, old) == 1
}

// cutEdit replaces a range of lines by its beginning: up to a line that opens what
// the range closes.
func cutEdit(random *rand.Rand, s source) (attempt, bool) {
	found := boundaries(s.text)
	if len(found) < 2 || s.ext() == ".html" {
		return attempt{}, false
	}
	i := random.IntN(len(found) - 1)
	old := s.text[found[i]:found[i+1]]
	lines := strings.SplitAfter(old, "\n")
	for n, line := range lines[:len(lines)-1] {
		if end := strings.TrimRight(line, "\n"); strings.HasSuffix(end, "{") && n < len(lines)-2 {
			return edit("", s, old, strings.Join(lines[:n+1], "")), strings.Count(s.text, old) == 1
		}
	}
	return attempt{}, false
}
