package core

import (
	"maps"
	"slices"
	"strings"
)

// ParseCheck reads the file of a check. Everything that a check does not have is refused, so
// that no mistake is silently ignored.
//
// It returns CodeValidationFailed with a message that names the member and the rule, and with
// one diagnostic, which has the place in the file and no path.
func ParseCheck(text []byte) (Check, error) {
	if len(text) > MaxCheckBytes {
		return Check{}, checkFault(text, 0, "the file is larger than %d KiB", MaxCheckBytes>>10)
	}
	reader, root, err := readCheck(text)
	if err != nil {
		return Check{}, err
	}
	return reader.check(root)
}

// ParseActSteps reads the steps of a call of the agent's tool act: those of a check, but at most
// MaxActSteps, whose targets may also be references. Errors are those of ParseCheck.
func ParseActSteps(text []byte) ([]CheckStep, error) {
	reader, root, err := readCheck(text)
	if err != nil {
		return nil, err
	}
	reader.refs, root.name = true, "steps"
	return reader.steps(root, MaxActSteps)
}

func (r checkReader) check(root checkValue) (Check, error) {
	members, err := r.object(root, "title", "path", "as", "steps")
	if err != nil {
		return Check{}, err
	}
	check := Check{As: CheckGuest}
	if check.Title, err = r.title(root, members); err != nil {
		return Check{}, err
	}
	if check.Path, err = r.required(root, members, "path"); err != nil {
		return Check{}, err
	}
	if err := r.pagePath(members["path"], check.Path); err != nil {
		return Check{}, err
	}
	if value, found := members["as"]; found {
		if check.As, err = r.user(value); err != nil {
			return Check{}, err
		}
	}
	value, found := members["steps"]
	if !found {
		return Check{}, r.fault(root, "steps is missing")
	}
	if check.Steps, err = r.steps(value, MaxCheckSteps); err != nil {
		return Check{}, err
	}
	if !slices.ContainsFunc(check.Steps, func(step CheckStep) bool { return step.Expect != "" }) {
		return Check{}, r.fault(value, "must have at least one expect: a check that expects nothing proves nothing")
	}
	return check, nil
}

func (r checkReader) title(root checkValue, members map[string]checkValue) (string, error) {
	text, err := r.required(root, members, "title")
	if err != nil {
		return "", err
	}
	title, err := CheckName("title", text, MaxCheckTitle)
	if err != nil {
		return "", r.fault(members["title"], "must have 1 to %d characters, none of them invisible or changing the text direction", MaxCheckTitle)
	}
	return title, nil
}

func (r checkReader) user(value checkValue) (string, error) {
	as, err := r.text(value)
	if err != nil {
		return "", err
	}
	if as != CheckGuest && (len(as) > maxCheckUser || !strings.Contains(as, "@") || strings.ContainsFunc(as, isHidden)) {
		return "", r.fault(value, "must be %q or the e-mail address of a user in the seed", CheckGuest)
	}
	return as, nil
}

func (r checkReader) steps(list checkValue, most int) ([]CheckStep, error) {
	items, err := r.array(list)
	if err != nil {
		return nil, err
	}
	if len(items) < 1 || len(items) > most {
		return nil, r.fault(list, "must have 1 to %d steps", most)
	}
	steps := make([]CheckStep, 0, len(items))
	for _, item := range items {
		step, err := r.step(item)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	return steps, nil
}

// stepRule says what a step with a verb or an expectation has.
type stepRule struct {
	target, value, count need
}

type need int

const (
	never need = iota
	maybe
	always
)

// checkRules are the verbs and the expectations.
var checkRules = map[string]map[string]stepRule{
	"do": {
		string(CheckClick):  {target: always},
		string(CheckFill):   {target: always, value: maybe},
		string(CheckPress):  {target: maybe, value: always},
		string(CheckSelect): {target: always, value: always},
		string(CheckGoto):   {value: always},
		string(CheckWait):   {},
	},
	"expect": {
		string(ExpectVisible): {target: always},
		string(ExpectHidden):  {target: always},
		string(ExpectText):    {target: maybe, value: always},
		string(ExpectURL):     {value: always},
		string(ExpectCount):   {target: always, count: always},
	},
}

func (r checkReader) step(item checkValue) (CheckStep, error) {
	members, err := r.object(item, "do", "expect", "target", "value", "count")
	if err != nil {
		return CheckStep{}, err
	}
	kind, other := "do", "expect"
	if _, found := members[kind]; !found {
		kind, other = other, kind
	}
	_, both := members[other]
	if _, found := members[kind]; !found || both {
		return CheckStep{}, r.fault(item, "must have either do or expect")
	}
	word, err := r.text(members[kind])
	if err != nil {
		return CheckStep{}, err
	}
	rule, known := checkRules[kind][word]
	if !known {
		return CheckStep{}, r.fault(members[kind], "must be one of %s", strings.Join(slices.Sorted(maps.Keys(checkRules[kind])), ", "))
	}
	if err := r.needs(item, members, kind+" "+word, rule); err != nil {
		return CheckStep{}, err
	}
	step := CheckStep{Do: CheckVerb(word)}
	if kind == "expect" {
		step = CheckStep{Expect: CheckExpectation(word)}
	}
	return step, r.parts(&step, members)
}

// needs checks that a step has what its rule says, and nothing else.
func (r checkReader) needs(item checkValue, members map[string]checkValue, what string, rule stepRule) error {
	for _, part := range []struct {
		name string
		need need
	}{{"target", rule.target}, {"value", rule.value}, {"count", rule.count}} {
		value, found := members[part.name]
		switch {
		case found && part.need == never:
			return r.fault(value, "does not belong to %q", what)
		case !found && part.need == always:
			return r.fault(item, "needs a %s, because it is %q", part.name, what)
		}
	}
	return nil
}

// parts reads target, value and count.
func (r checkReader) parts(step *CheckStep, members map[string]checkValue) (err error) {
	if value, found := members["target"]; found {
		if step.Target, err = r.target(value); err != nil {
			return err
		}
	}
	if value, found := members["count"]; found {
		count, err := r.number(value, 0)
		if err != nil {
			return err
		}
		step.Count = &count
	}
	value, found := members["value"]
	if !found {
		return nil
	}
	if step.Value, err = r.text(value); err != nil {
		return err
	}
	switch {
	case step.Do == CheckGoto || step.Expect == ExpectURL:
		return r.pagePath(value, step.Value)
	case step.Value == "" && step.Do != CheckFill:
		return r.fault(value, "must not be empty")
	}
	return nil
}

func (r checkReader) target(value checkValue) (*CheckTarget, error) {
	names := []string{"role", "name", "nth", "state"}
	if r.refs {
		names = append(names, "ref")
	}
	members, err := r.object(value, names...)
	if err != nil {
		return nil, err
	}
	if ref, found := members["ref"]; found {
		if len(members) > 1 {
			return nil, r.fault(ref, "names the whole target: leave the rest out")
		}
		text, err := r.short(ref)
		return &CheckTarget{Ref: text}, err
	}
	role, found := members["role"]
	if !found {
		return nil, r.fault(value, "has no role")
	}
	target := &CheckTarget{}
	if target.Role, err = r.short(role); err != nil {
		return nil, err
	}
	if name, found := members["name"]; found {
		if target.Name, err = r.text(name); err != nil {
			return nil, err
		}
	}
	if nth, found := members["nth"]; found {
		if target.Nth, err = r.number(nth, 1); err != nil {
			return nil, err
		}
	}
	if state, found := members["state"]; found {
		if target.State, err = r.text(state); err != nil {
			return nil, err
		}
		if !slices.Contains(CheckStates(), target.State) {
			return nil, r.fault(state, "must be one of %s", strings.Join(CheckStates(), ", "))
		}
	}
	return target, nil
}

// maxCheckWord bounds roles and references, in bytes.
const maxCheckWord = 60

// short reads a word.
func (r checkReader) short(value checkValue) (string, error) {
	text, err := r.text(value)
	if err == nil && (text == "" || len(text) > maxCheckWord) {
		err = r.fault(value, "must have 1 to %d bytes", maxCheckWord)
	}
	return text, err
}

// pagePath checks a path of a page.
func (r checkReader) pagePath(value checkValue, path string) error {
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.ContainsAny(path, "\\") || strings.ContainsFunc(path, isUnfitForURL) {
		return r.fault(value, "must be a path of the project's own pages, such as /about")
	}
	return nil
}

func isUnfitForURL(c rune) bool { return c <= ' ' || isHidden(c) }
