package core_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

const twoSteps = `{"steps":[{"title":"Add a page","description":"A new one.","files":["src/About.tsx"],"risk":"low"},{"title":"Link it","description":"","files":[],"risk":"high"}]}`

func TestPlansAreReadFromJSON(t *testing.T) {
	want := []core.PlanStep{
		{Title: "Add a page", Description: "A new one.", Files: []string{"src/About.tsx"}, Risk: core.RiskLow},
		{Title: "Link it", Files: []string{}, Risk: core.RiskHigh},
	}
	for name, text := range map[string]string{
		"bare":                          twoSteps,
		"fenced":                        "Here is the plan:\n```json\n" + twoSteps + "\n```\nShall I?",
		"fenced without a language":     "```\n" + twoSteps + "\n```",
		"between sentences":             "I would do {this}: " + twoSteps + " and nothing else.",
		"inside another object":         `{"plan":` + twoSteps + `}`,
		"behind code with braces":       "```ts\nfunction f() { return {} }\n```\n" + twoSteps,
		"with headings that say little": "## The plan\n\n" + twoSteps,
		"with members of its own":       strings.Replace(twoSteps, `{"steps"`, `{"goal":"x","steps"`, 1),
	} {
		got, structured := core.ParsePlan(text)
		if !structured || !reflect.DeepEqual(got.Steps, want) || got.RawText != text {
			t.Errorf("%s: got %+v, want %+v with the raw text", name, got, want)
		}
	}
}

func TestStepsInOddFormsAreRead(t *testing.T) {
	plan, _ := core.ParsePlan(`{"steps":["Only a text",{"title":"One file","files":"a.css"},{"title":"No list","files":{"a":1},"risk":"SEVERE"},{"title":" "}]}`)
	want := []core.PlanStep{
		{Title: "Only a text", Files: []string{}, Risk: core.RiskMedium},
		{Title: "One file", Files: []string{"a.css"}, Risk: core.RiskMedium},
		{Title: "No list", Files: []string{}, Risk: core.RiskMedium},
	}
	if !reflect.DeepEqual(plan.Steps, want) {
		t.Errorf("got %+v, want %+v", plan.Steps, want)
	}
}

func TestPlansAreReadFromText(t *testing.T) {
	want := []core.PlanStep{
		{Title: "Add a page", Description: "It lives in `src/About.tsx`.\nRisk: low", Files: []string{"src/About.tsx"}, Risk: core.RiskLow},
		{Title: "Link it", Description: "From `src/App.tsx` and `index.html`, high risk.", Files: []string{"src/App.tsx", "index.html"}, Risk: core.RiskHigh},
	}
	first, second := "It lives in `src/About.tsx`.\nRisk: low", "From `src/App.tsx` and `index.html`, high risk."
	for name, text := range map[string]string{
		"headings of steps":    "# Plan\n\n## Step 1: Add a page\n\n" + first + "\n\n## Step 2: Link it\n" + second,
		"numbered headings":    "### 1. Add a page\n" + first + "\n### 2. Link it\n" + second,
		"headings":             "# Plan\n## Add a page\n" + first + "\n## Link it\n" + second,
		"a numbered list":      "I would:\n\n1. Add a page\n" + first + "\n2. Link it\n" + second,
		"bold titles":          "1. **Add a page**: " + first + "\n2. **Link it** – " + second,
		"titles with a colon":  "1. Add a page: " + first + "\n2. Link it: " + second,
		"bullets":              "- Add a page\n" + first + "\n- Link it\n" + second,
		"code with headings":   "```md\n## Not a step\n```\n1) Add a page\n" + first + "\n2) Link it\n" + second,
		"windows line endings": strings.ReplaceAll("1. Add a page\n"+first+"\n2. Link it\n"+second, "\n", "\r\n"),
	} {
		if got, structured := core.ParsePlan(text); structured || !reflect.DeepEqual(got.Steps, want) {
			t.Errorf("%s: got %+v, want %+v", name, got.Steps, want)
		}
	}
}

func TestTextWithoutAPlanHasNoSteps(t *testing.T) {
	for _, text := range []string{"", "I do not know.", `{"steps":[]}`, `{"steps":3}`, `{"steps":[{"title":"cut`, strings.Repeat(`{"a":`, 20_000), strings.Repeat("{", 100_000)} {
		got, _ := core.ParsePlan(text)
		if got.Steps == nil || len(got.Steps) != 0 || got.RawText != text {
			t.Errorf("%.20q: got %d steps, want an empty list", text, len(got.Steps))
		}
	}
}

func TestPlansAreBounded(t *testing.T) {
	if plan, _ := core.ParsePlan(strings.Repeat("1. Step\n", 1000)); len(plan.Steps) != core.MaxPlanSteps {
		t.Errorf("got %d steps, want %d", len(plan.Steps), core.MaxPlanSteps)
	}
}

func FuzzParsePlan(f *testing.F) {
	for _, seed := range []string{twoSteps, "1. a\n2. b", "## Step 1: x\n`a.b`", "**x", "- [ ] y"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		plan, _ := core.ParsePlan(text)
		if plan.RawText != text || plan.Steps == nil {
			t.Errorf("got %+v, want the raw text and a list", plan)
		}
		for _, step := range plan.Steps {
			if step.Files == nil || step.Risk == "" {
				t.Errorf("got %+v, want files and a risk", step)
			}
		}
		if _, err := json.Marshal(plan); err != nil {
			t.Error(err)
		}
	})
}
