package core

import (
	"encoding/json"
	"strings"
)

// Plan is the agent's proposal. RawText is the
// message that it was read from, which may say more than the steps. Steps is empty
// if no steps were recognised in it.
type Plan struct {
	Steps   []PlanStep `json:"steps"`
	RawText string     `json:"rawText"`
}

// PlanStep is one step of a plan. Files are paths as the agent wrote them.
type PlanStep struct {
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Files       []string `json:"files"`
	Risk        Risk     `json:"risk"`
}

// Risk is how much a step may break.
type Risk string

// The risks of a step. A step that does not name one has RiskMedium.
const (
	RiskLow    Risk = "low"
	RiskMedium Risk = "medium"
	RiskHigh   Risk = "high"
)

// MaxPlanSteps bounds how many steps are read from a plan.
const MaxPlanSteps = 50

// ParsePlan reads a plan from a message: from a JSON object with steps, fenced or
// bare, else from headings and lists. The second result says whether it was JSON.
// It is total: a message with neither gives a plan without steps.
func ParsePlan(text string) (Plan, bool) {
	steps, structured := planOfJSON(text)
	if !structured {
		steps = planOfMarkdown(text)
	}
	return Plan{Steps: steps[:min(len(steps), MaxPlanSteps)], RawText: text}, structured
}

// maxPlanObjects bounds how many braces are tried as the beginning of a plan.
const maxPlanObjects = 200

// planOfJSON returns the steps of the first JSON object in text that has some.
func planOfJSON(text string) ([]PlanStep, bool) {
	for range maxPlanObjects {
		at := strings.IndexByte(text, '{')
		if at < 0 {
			break
		}
		var object struct{ Steps []jsonStep }
		decoder := json.NewDecoder(strings.NewReader(text[at:]))
		if decoder.Decode(&object) == nil && len(object.Steps) > 0 {
			return stepsOf(object.Steps), true
		}
		text = text[at+1:]
	}
	return nil, false
}

// jsonStep is a step as models write it: possibly just a text, or with one file
// instead of a list.
type jsonStep struct {
	Title, Description, Risk string
	Files                    []string
}

// UnmarshalJSON takes an object or a text.
func (s *jsonStep) UnmarshalJSON(body []byte) error {
	if json.Unmarshal(body, &s.Title) == nil {
		return nil
	}
	var object struct {
		Title, Description, Risk string
		Files                    json.RawMessage
	}
	if err := json.Unmarshal(body, &object); err != nil {
		return err
	}
	s.Title, s.Description, s.Risk = object.Title, object.Description, object.Risk
	var one string
	if json.Unmarshal(object.Files, &one) == nil && one != "" {
		s.Files = []string{one}
		return nil
	}
	// Files of any other form are ignored; the step stays.
	_ = json.Unmarshal(object.Files, &s.Files)
	return nil
}

func stepsOf(steps []jsonStep) []PlanStep {
	out := make([]PlanStep, 0, len(steps))
	for _, step := range steps {
		if strings.TrimSpace(step.Title+step.Description) == "" {
			continue
		}
		if step.Files == nil {
			step.Files = []string{}
		}
		out = append(out, PlanStep{Title: step.Title, Description: step.Description, Files: step.Files, Risk: riskOf(step.Risk)})
	}
	return out
}

func riskOf(word string) Risk {
	switch risk := Risk(strings.ToLower(strings.TrimSpace(word))); risk {
	case RiskLow, RiskHigh:
		return risk
	}
	return RiskMedium
}
