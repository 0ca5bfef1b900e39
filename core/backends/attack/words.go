package attack

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// note adds a finding about the records of a collection, unless weight is empty.
func (r *report) note(a *actor, t *target, action core.AttackAction, weight core.FindingWeight, fields []string, count int64) {
	r.noteThrough(a, t, t, action, weight, fields, count)
}

// noteStrayed adds a finding about fields with private values that are from elsewhere.
func (r *report) noteStrayed(a *actor, t *target, action core.AttackAction, fields, from []string, count int64) {
	if finding := r.noteThrough(a, t, t, action, core.FindingHigh, fields, count); finding != nil {
		finding.Text += fmt.Sprintf(" What is private in %s is there, under whatever name.", strings.Join(from, ", "))
	}
}

// noteThrough is note for records that were reached through another collection. It returns a
// finding that is new.
func (r *report) noteThrough(a *actor, t, through *target, action core.AttackAction, weight core.FindingWeight, fields []string, count int64) *core.Finding {
	if weight == "" {
		return nil
	}
	rule := ruleOf(through, action)
	seal := "null"
	if rule != nil {
		seal = "=" + *rule
	}
	if a.climbed != "" {
		seal += "\x00" + a.climbed + "\x00" + ruleText(a.home.Rules.Update) + "\x00" + ruleText(a.home.Rules.Create)
	}
	finding := core.Finding{Collection: t.Name, As: a.kind, Action: action, Records: count, Fields: fields, Severity: weight}
	if finding.Fields == nil {
		finding.Fields = []string{}
	}
	finding.ID = idOf(finding, through.Name, seal)
	if known := r.found[finding.ID]; known != nil {
		known.Records = max(known.Records, count)
		return nil
	}
	finding.Text = r.describe(a, t, through, finding)
	finding.Suggestion = suggest(a, t, through, finding)
	r.found[finding.ID] = &finding
	return &finding
}

// idOf derives the id of a finding.
func idOf(f core.Finding, through, rule string) core.ID {
	parts := []string{f.Collection, through, string(f.As), string(f.Action), rule, strings.Join(f.Fields, ",")}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x01")))
	text := hex.EncodeToString(sum[:16])
	return core.ID(text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:])
}

// ruleOf is the rule that allows an action.
func ruleOf(t *target, action core.AttackAction) *string {
	switch action {
	case core.AttackList, core.AttackFilter, core.AttackSubscribe:
		return t.Rules.List
	case core.AttackView, core.AttackExpand, core.AttackFile:
		return t.Rules.View
	case core.AttackCreate:
		return t.Rules.Create
	case core.AttackDelete:
		return t.Rules.Delete
	}
	return t.Rules.Update
}

// member is the member of the schema file with the rule for an action.
func member(action core.AttackAction) string {
	switch action {
	case core.AttackList, core.AttackFilter, core.AttackSubscribe:
		return "listRule"
	case core.AttackView, core.AttackExpand, core.AttackFile:
		return "viewRule"
	case core.AttackCreate:
		return "createRule"
	case core.AttackDelete:
		return "deleteRule"
	}
	return "updateRule"
}

// describe says what an actor has done, to people who have never programmed.
func (r *report) describe(a *actor, t, through *target, f core.Finding) string {
	who := "Anybody on the internet can, without signing in,"
	if a.kind == core.AttackStranger {
		who = "Every signed-in user can"
		if a.home.open {
			who = "Everybody who signs up can"
		}
	}
	if a.climbed != "" {
		who = fmt.Sprintf("Everybody who has an account in %q can first set %q in it, and then", a.home.Name, a.climbed)
	}
	names := strings.Join(f.Fields, ", ")
	what := map[core.AttackAction]string{
		core.AttackList:      fmt.Sprintf("read other people's records in %q, among them: %s.", t.Name, names),
		core.AttackView:      fmt.Sprintf("read a record in %q whose id they know, among it: %s.", t.Name, names),
		core.AttackExpand:    fmt.Sprintf("read records in %q that others refer to, among them: %s.", t.Name, names),
		core.AttackSubscribe: fmt.Sprintf("watch other people's records in %q change, and read: %s.", t.Name, names),
		core.AttackFilter:    fmt.Sprintf("find out by searching in %q what is in %q, though it is not shown: %s.", through.Name, t.Name, names),
		core.AttackFile:      fmt.Sprintf("open files in %q whose address they know: %s.", t.Name, names),
		core.AttackCreate:    fmt.Sprintf("add records to %q.", t.Name),
		core.AttackChange:    fmt.Sprintf("change other people's records in %q: %s.", t.Name, names),
		core.AttackDelete:    fmt.Sprintf("delete other people's records in %q.", t.Name),
		core.AttackVerify:    fmt.Sprintf("mark an e-mail address in %q as verified that they never proved to be theirs.", t.Name),
	}[f.Action]
	if f.Action == core.AttackCreate && len(f.Fields) > 0 {
		what = fmt.Sprintf("add records to %q in somebody else's name (%s).", t.Name, names)
	}
	if f.Action == core.AttackList && f.Severity == core.FindingInfo {
		what = fmt.Sprintf("read %q. That is right if it is meant for everybody.", t.Name)
	}
	return who + " " + what
}

// suggest returns members of the schema file that end what was found. A rule is written with
// single quotes, so that it can be pasted.
func suggest(a *actor, t, through *target, f core.Finding) string {
	if a.climbed != "" {
		name, _, _ := strings.Cut(a.climbed, " = ")
		return fmt.Sprintf(`in %q: "createRule": "@request.body.%s:isset = false", "updateRule": "id = @request.auth.id && @request.body.%s:isset = false"`, a.home.Name, name, name)
	}
	rule := closedRule(through)
	switch f.Action {
	case core.AttackList, core.AttackSubscribe, core.AttackView, core.AttackExpand:
		if f.Severity == core.FindingInfo {
			return fmt.Sprintf(`"listRule": %s, if only the person to whom a record belongs should read it`, rule)
		}
		return fmt.Sprintf(`"listRule": %s, "viewRule": %s`, rule, rule)
	case core.AttackVerify:
		return `"manageRule": null`
	case core.AttackFile:
		if !slices.ContainsFunc(t.fields, func(one field) bool { return slices.Contains(f.Fields, one.Name) && one.options.Protected }) {
			return `"protected": true (in the field), and use a file token in the page`
		}
	case core.AttackCreate:
		if len(f.Fields) == 0 {
			return `"createRule": "@request.auth.id != ''", if only people who are signed in should`
		}
	}
	return fmt.Sprintf(`"%s": %s`, member(f.Action), rule)
}

// closedRule is a rule, in JSON, that lets only the one to whom a record belongs.
func closedRule(t *target) string {
	switch {
	case t.Type == backend.Auth:
		return `"id = @request.auth.id"`
	case len(t.owners) > 0:
		return `"@request.auth.id != '' && ` + t.owners[0] + `"`
	}
	return "null"
}
