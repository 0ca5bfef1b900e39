package evals

import (
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/bootstrap/evals/firstpage"
	"github.com/atelierhq/atelier/core"
)

// Check is one condition that must hold after a task. Exactly one of its kinds is set;
// File belongs to some of them. testdata/evals/README.md describes them.
type Check struct {
	File         string   `json:"file,omitempty"`
	Contains     string   `json:"contains,omitempty"`
	Lacks        string   `json:"lacks,omitempty"`
	Matches      string   `json:"matches,omitempty"`
	LacksMatch   string   `json:"lacksMatch,omitempty"`
	Exists       *bool    `json:"exists,omitempty"`
	ChangedLines int      `json:"changedLines,omitempty"`
	Unchanged    []string `json:"unchanged,omitempty"`
	OnlyChanged  []string `json:"onlyChanged,omitempty"`
	Builds       bool     `json:"builds,omitempty"`
	Page         string   `json:"page,omitempty"`
	PageLacks    string   `json:"pageLacks,omitempty"`
	Answer       string   `json:"answer,omitempty"`
	Plan         int      `json:"plan,omitempty"`
	FirstPage    bool     `json:"firstPage,omitempty"`
	Tokens       bool     `json:"tokens,omitempty"`
}

// kind is one kind of check.
type kind struct {
	name string
	// given reports whether a check is of this kind; pattern returns its regular
	// expression.
	given   func(Check) bool
	file    bool
	pattern func(Check) string
	label   func(Check) string
	// judge says why the check fails, "" if it passes.
	judge func(Check, outcome) string
}

// kinds is the table of all kinds.
func kinds() []kind {
	return []kind{
		{name: "contains", file: true, given: func(c Check) bool { return c.Contains != "" },
			label: func(c Check) string { return fmt.Sprintf("%s contains %q", c.File, c.Contains) },
			judge: func(c Check, o outcome) string { return o.someFile(c.File, holds(c.Contains)) }},
		{name: "lacks", file: true, given: func(c Check) bool { return c.Lacks != "" },
			label: func(c Check) string { return fmt.Sprintf("%s lacks %q", c.File, c.Lacks) },
			judge: func(c Check, o outcome) string { return o.noFile(c.File, holds(c.Lacks)) }},
		{name: "matches", file: true, given: func(c Check) bool { return c.Matches != "" },
			pattern: func(c Check) string { return c.Matches },
			label:   func(c Check) string { return fmt.Sprintf("%s matches %s", c.File, c.Matches) },
			judge:   func(c Check, o outcome) string { return o.someFile(c.File, matches(c.Matches)) }},
		{name: "lacksMatch", file: true, given: func(c Check) bool { return c.LacksMatch != "" },
			pattern: func(c Check) string { return c.LacksMatch },
			label:   func(c Check) string { return fmt.Sprintf("%s does not match %s", c.File, c.LacksMatch) },
			judge:   func(c Check, o outcome) string { return o.noFile(c.File, matches(c.LacksMatch)) }},
		{name: "exists", file: true, given: func(c Check) bool { return c.Exists != nil },
			label: func(c Check) string { return fmt.Sprintf("%s exists: %v", c.File, *c.Exists) },
			judge: func(c Check, o outcome) string { return o.exists(c.File, *c.Exists) }},
		{name: "changedLines", file: true, given: func(c Check) bool { return c.ChangedLines > 0 },
			label: func(c Check) string { return fmt.Sprintf("%s changed in at most %d lines", c.File, c.ChangedLines) },
			judge: func(c Check, o outcome) string { return o.changedLines(c.File, c.ChangedLines) }},
		{name: "unchanged", given: func(c Check) bool { return len(c.Unchanged) > 0 },
			label: func(c Check) string { return "unchanged: " + strings.Join(c.Unchanged, ", ") },
			judge: func(c Check, o outcome) string { return o.unchanged(c.Unchanged) }},
		{name: "onlyChanged", given: func(c Check) bool { return len(c.OnlyChanged) > 0 },
			label: func(c Check) string { return "nothing changed but " + strings.Join(c.OnlyChanged, ", ") },
			judge: func(c Check, o outcome) string { return o.onlyChanged(c.OnlyChanged) }},
		{name: "builds", given: func(c Check) bool { return c.Builds },
			label: func(Check) string { return "builds" },
			judge: func(_ Check, o outcome) string { return o.problem }},
		{name: "page", given: func(c Check) bool { return c.Page != "" },
			label: func(c Check) string { return fmt.Sprintf("the page has %q", c.Page) },
			judge: func(c Check, o outcome) string { return o.page(c.Page, true) }},
		{name: "pageLacks", given: func(c Check) bool { return c.PageLacks != "" },
			label: func(c Check) string { return fmt.Sprintf("the page lacks %q", c.PageLacks) },
			judge: func(c Check, o outcome) string { return o.page(c.PageLacks, false) }},
		{name: "answer", given: func(c Check) bool { return c.Answer != "" },
			pattern: func(c Check) string { return c.Answer },
			label:   func(c Check) string { return "the answer matches " + c.Answer },
			judge:   func(c Check, o outcome) string { return o.answers(c.Answer) }},
		{name: "plan", given: func(c Check) bool { return c.Plan > 0 },
			label: func(c Check) string { return fmt.Sprintf("the answer is a plan of %d steps or more", c.Plan) },
			judge: func(c Check, o outcome) string { return o.plans(c.Plan) }},
		{name: "firstPage", given: func(c Check) bool { return c.FirstPage },
			label: func(Check) string { return "the first page is sound" },
			judge: func(_ Check, o outcome) string { return strings.Join(o.faults, "; ") }},
		{name: "tokens", given: func(c Check) bool { return c.Tokens },
			label: func(Check) string { return "components use the theme's tokens" },
			judge: func(_ Check, o outcome) string { return strings.Join(firstpage.Literals(o.after), "; ") }},
	}
}

// kind returns the kind of the check.
func (c Check) kind() (kind, error) {
	var found []kind
	var names []string
	for _, k := range kinds() {
		names = append(names, k.name)
		if k.given(c) {
			found = append(found, k)
		}
	}
	if len(found) != 1 {
		return kind{}, fmt.Errorf("a check has one of %s, not %d", strings.Join(names, ", "), len(found))
	}
	return found[0], nil
}

func (c Check) validate() error {
	k, err := c.kind()
	if err != nil {
		return err
	}
	if k.file != (c.File != "") {
		return fmt.Errorf("%s and file: %v, not %v", k.name, c.File != "", k.file)
	}
	patterns := append(slices.Clone(c.Unchanged), c.OnlyChanged...)
	if c.File != "" {
		patterns = append(patterns, c.File)
	}
	for _, pattern := range patterns {
		if _, err := path.Match(pattern, ""); err != nil {
			return fmt.Errorf("%q: %w", pattern, err)
		}
	}
	if k.pattern != nil {
		_, err = regexp.Compile(k.pattern(c))
	}
	return err
}

// Label describes the condition in words.
func (c Check) Label() string {
	k, err := c.kind()
	if err != nil {
		return err.Error()
	}
	return k.label(c)
}

// judge says why the check fails, "" if it passes.
func (c Check) judge(o outcome) string {
	k, err := c.kind()
	if err != nil {
		return err.Error()
	}
	return k.judge(c, o)
}

func holds(text string) func([]byte) bool {
	return func(content []byte) bool { return strings.Contains(string(content), text) }
}

func matches(pattern string) func([]byte) bool {
	compiled, err := regexp.Compile(pattern)
	return func(content []byte) bool { return err == nil && compiled.Match(content) }
}

// fits reports whether a path matches a pattern.
func fits(pattern, name string) bool {
	if pattern == "**" {
		return true
	}
	if folder, all := strings.CutSuffix(pattern, "/**"); all {
		return strings.HasPrefix(name, folder+"/")
	}
	fit, err := path.Match(pattern, name)
	return fit && err == nil
}

func fitsAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return fits(pattern, name) })
}

// errNoPlan reports that the last message holds no plan.
var errNoPlan = errors.New("the answer holds no plan")

func stepsOf(answer string) (int, error) {
	plan, _ := core.ParsePlan(answer)
	if len(plan.Steps) == 0 {
		return 0, errNoPlan
	}
	return len(plan.Steps), nil
}
