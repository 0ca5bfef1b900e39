package agent_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
)

func goodMakers(sources []source) []maker {
	return []maker{
		{"a new file", len(sources), func(_ *rand.Rand, s source) (attempt, bool) { return write("", s, "", s.text), true }},
		{"a whole file with a change", 480 - len(sources), func(random *rand.Rand, s source) (attempt, bool) {
			_, changed, possible := change(random, s)
			return write("", s, s.text, changed), possible
		}},
		{"a whole file without a block", 20, func(random *rand.Rand, s source) (attempt, bool) {
			at, end, possible := block(random, s)
			return write("", s, s.text, s.text[:at]+s.text[end:]), possible
		}},
		{"an edit", 400, func(random *rand.Rand, s source) (attempt, bool) {
			at, changed, possible := change(random, s)
			if !possible {
				return attempt{}, false
			}
			oldText, newText, possible := around(s.text, changed, at)
			return edit("", s, oldText, newText), possible
		}},
		{"an edit that deletes a block", 50, func(random *rand.Rand, s source) (attempt, bool) {
			at, end, possible := block(random, s)
			return edit("", s, s.text[at:end], ""), possible && strings.Count(s.text, s.text[at:end]) == 1
		}},
		{"an edit with another indent", 50, func(random *rand.Rand, s source) (attempt, bool) {
			at, changed, possible := change(random, s)
			if !possible {
				return attempt{}, false
			}
			oldText, newText, possible := around(s.text, changed, at)
			return edit("", s, indented(oldText), indented(newText)), possible
		}},
	}
}

var (
	identifier = regexp.MustCompile(`\b[a-z]+[A-Z][A-Za-z]+\b`)
	// ordinary are comments that use the words of elisions but leave nothing out.
	ordinary = []string{
		"The rest of the list is loaded when it is needed.", "Existing users keep their role.", "The same order as in the answer of the server.",
		"Other browsers ignore this.", "Remaining items come first.", "...props go to the element.", "Loading…", "See above.", "TODO: more tests.",
		"Rest parameters are not counted.", "Keep this in step with the schema.", "Previous value, to compare with.", "Unchanged values are skipped.",
		"What remains is shown to others.", "Header", "Rest", "1. First, 2. second, 3. third...", "Truncated text ends with an ellipsis.",
		"Nothing is omitted here: all of it counts.", "Continue with the next page when there is more.",
	}
	// added are small additions to the end of a file.
	added = map[string]string{
		".css": "\n.added {\n  display: flex;\n}\n", ".html": "<!-- Made by hand -->\n",
		".ts": "\nexport function added(...values: number[]) {\n  return Math.max(...values)\n}\n", ".js": "\nfunction added(...values) {\n  return Math.max(...values)\n}\n",
		".tsx": "\nfunction Added({ label, ...rest }: { label: string }) {\n  return <b {...rest}>{label}</b>\n}\n",
	}
)

// change makes a small change somewhere. at is where the texts begin to differ.
func change(random *rand.Rand, s source) (at int, changed string, possible bool) {
	switch random.IntN(4) {
	case 0:
		places := number.FindAllStringIndex(s.text, -1)
		if len(places) == 0 {
			return 0, "", false
		}
		place := places[random.IntN(len(places))]
		changed = s.text[:place[0]] + "7" + s.text[place[0]:]
	case 1:
		names := identifier.FindAllString(s.text, -1)
		if len(names) == 0 || s.ext() == ".json" {
			return 0, "", false
		}
		name := names[random.IntN(len(names))]
		changed = regexp.MustCompile(`\b`+name+`\b`).ReplaceAllString(s.text, name+"Too")
	case 2:
		places := boundaries(s.text)
		if len(places) == 0 || s.ext() == ".json" || s.ext() == ".html" {
			return 0, "", false
		}
		place := places[random.IntN(len(places))]
		changed = s.text[:place] + comment(s, ordinary[random.IntN(len(ordinary))]) + s.text[place:]
	default:
		if added[s.ext()] == "" {
			return 0, "", false
		}
		changed = s.text + added[s.ext()]
	}
	for at < len(s.text) && s.text[at] == changed[at] {
		at++
	}
	return at, changed, true
}

// around returns the whole lines that differ, with enough lines around them to make
// the old ones unique. A rename is reduced to its first place.
func around(text, changed string, at int) (oldText, newText string, possible bool) {
	end := len(text)
	for grown := len(changed); end > at && grown > at && text[end-1] == changed[grown-1]; grown-- {
		end--
	}
	from, to := strings.LastIndexByte(text[:at], '\n')+1, end
	for {
		if next := strings.IndexByte(text[to:], '\n'); next >= 0 {
			to += next + 1
		} else {
			to = len(text)
		}
		if strings.Count(text, text[from:to]) == 1 && strings.TrimSpace(text[from:to]) != "" {
			return text[from:to], changed[from : len(changed)-(len(text)-to)], true
		}
		if from == 0 && to == len(text) {
			return "", "", false
		}
		from = strings.LastIndexByte(text[:max(0, from-1)], '\n') + 1
	}
}

// indented shifts all lines by four spaces.
func indented(text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			line = "    " + line
		}
		out.WriteString(line)
	}
	return out.String()
}

// block chooses a block at the top level that is at most a third of the file. The
// last one is chosen as often as any other.
func block(random *rand.Rand, s source) (at, end int, possible bool) {
	places := append(boundaries(s.text), len(s.text))
	if len(places) < 3 || s.ext() == ".html" || s.ext() == ".json" {
		return 0, 0, false
	}
	i := random.IntN(len(places) - 1)
	at, end = places[i], places[i+1]
	return at, end, (end-at)*3 < len(s.text)
}
