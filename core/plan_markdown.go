package core

import (
	"regexp"
	"strings"
)

// planOfMarkdown reads steps from the headings below a message's title or, without
// any, from its first kind of list. The text below a step is its description.
func planOfMarkdown(text string) []PlanStep {
	lines := unfenced(text)
	for _, isStep := range []func(string) (string, bool){stepHeading, numberedItem, heading, bulletItem} {
		if steps := planOfLines(lines, isStep); len(steps) > 0 {
			return steps
		}
	}
	return []PlanStep{}
}

// unfenced returns the lines of a text without its blocks of code, which may hold
// lines that look like headings.
func unfenced(text string) []string {
	var lines []string
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			continue
		}
		if !fenced {
			lines = append(lines, line)
		}
	}
	return lines
}

var (
	headingPattern  = regexp.MustCompile(`^#{2,6}\s+(\S.*)$`)
	stepPattern     = regexp.MustCompile(`^#{1,6}\s+(?i:(?:step\s*)?\d+\s*[.:)\-–—]*\s*)(\S.*)$`)
	numberedPattern = regexp.MustCompile(`^\s?\d+[.)]\s+(\S.*)$`)
	bulletPattern   = regexp.MustCompile(`^\s?[-*+]\s+(\S.*)$`)
	filePattern     = regexp.MustCompile("`([^`\\s]*[./][^`\\s]*)`")
	riskPattern     = regexp.MustCompile(`(?i)\brisk\W{1,6}(low|medium|high)\b|\b(low|medium|high)[ -]risk\b`)
)

func stepHeading(line string) (string, bool)  { return firstGroup(stepPattern, line) }
func heading(line string) (string, bool)      { return firstGroup(headingPattern, line) }
func numberedItem(line string) (string, bool) { return firstGroup(numberedPattern, line) }
func bulletItem(line string) (string, bool)   { return firstGroup(bulletPattern, line) }

func firstGroup(pattern *regexp.Regexp, line string) (string, bool) {
	found := pattern.FindStringSubmatch(line)
	if found == nil {
		return "", false
	}
	return found[1], true
}

// planOfLines begins a step at each line that isStep takes.
func planOfLines(lines []string, isStep func(string) (string, bool)) []PlanStep {
	var steps []PlanStep
	var body []string
	closeStep := func() {
		if len(steps) > 0 {
			steps[len(steps)-1] = describeStep(steps[len(steps)-1].Title, body)
		}
		body = nil
	}
	for _, line := range lines {
		title, begins := isStep(line)
		if !begins {
			body = append(body, line)
			continue
		}
		closeStep()
		steps = append(steps, PlanStep{Title: title})
	}
	closeStep()
	return steps
}

// describeStep reads a step from its first line and the text below it. The title
// ends with its bold type, or at a colon or a dash.
func describeStep(line string, body []string) PlanStep {
	title, rest := line, ""
	if strong, after, found := strings.Cut(strings.TrimPrefix(line, "**"), "**"); found && strings.HasPrefix(line, "**") {
		title, rest = strings.TrimRight(strong, " :"), strings.TrimLeft(after, " :-–—")
	} else {
		for _, mark := range []string{": ", " – ", " — ", " - "} {
			if before, after, found := strings.Cut(line, mark); found {
				title, rest = before, after
				break
			}
		}
	}
	whole := strings.Join(append([]string{line}, body...), "\n")
	return PlanStep{
		Title: strings.TrimSpace(title), Description: strings.TrimSpace(rest + "\n" + strings.Join(body, "\n")),
		Files: filesIn(whole), Risk: riskIn(whole),
	}
}

// filesIn returns the texts between backticks that look like paths.
func filesIn(text string) []string {
	files := []string{}
	seen := map[string]bool{}
	for _, found := range filePattern.FindAllStringSubmatch(text, -1) {
		if path := strings.TrimRight(found[1], ".,;:"); !seen[path] && path != "" {
			seen[path] = true
			files = append(files, path)
		}
	}
	return files
}

func riskIn(text string) Risk {
	found := riskPattern.FindStringSubmatch(text)
	if found == nil {
		return RiskMedium
	}
	return riskOf(found[1] + found[2])
}
