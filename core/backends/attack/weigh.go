package attack

import (
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// weighReading returns the weight of fields that an actor has read, and the fields that
// determine it. It is "" for what end users usually may read of each other.
func (r *report) weighReading(a *actor, t *target, fields []string, items []map[string]any) (core.FindingWeight, []string) {
	var secret, letters []string
	for _, name := range fields {
		switch r.privacyIn(t, name, items) {
		case private:
			secret = append(secret, name)
		case mild:
			letters = append(letters, name)
		}
	}
	switch {
	case a.kind == core.AttackGuest && (len(secret) > 0 || len(letters) > 0 && !isPublicPlace(t.Name)):
		return core.FindingHigh, sorted(append(secret, letters...))
	case a.kind == core.AttackGuest && len(letters) > 0:
		return core.FindingMedium, sorted(letters)
	case a.kind == core.AttackGuest:
		return core.FindingInfo, sorted(fields)
	case len(secret) > 0 && a.home.open && (t.Type == backend.View || len(t.owners) > 0):
		return core.FindingHigh, sorted(secret)
	case len(secret)+len(letters) > 0:
		return core.FindingMedium, sorted(append(secret, letters...))
	}
	return "", nil
}

func sorted(names []string) []string {
	names = slices.Clone(names)
	slices.Sort(names)
	return slices.Compact(names)
}

// privacyIn judges a field of a collection. items have some of its values, because the
// fields of views have no types.
func (r *world) privacyIn(t *target, name string, items []map[string]any) privacy {
	has := trait{letter: r.isLetter(t), summary: isSummary(t)}
	at := slices.IndexFunc(t.fields, func(f field) bool { return f.Name == name })
	if at >= 0 {
		switch f := t.fields[at]; f.Type {
		case "bool", "relation":
			return open
		case "email", "password":
			return private
		case "number":
			has.number = true
		}
	} else {
		for _, item := range items {
			switch item[name].(type) {
			case bool:
				return open
			case float64:
				has.number = true
			}
		}
	}
	return privacyOf(t.Name, name, has)
}

// isSummary reports whether the records of a view sum up others.
func isSummary(t *target) bool {
	query := strings.ToUpper(string(t.Options["viewQuery"]))
	return slices.ContainsFunc([]string{"GROUP BY", "SUM(", "AVG(", "COUNT(", "TOTAL("}, func(part string) bool { return strings.Contains(query, part) })
}

// isLetter reports whether the records of a collection go from one end user to another.
func (r *world) isLetter(t *target) bool {
	people := r.people(t)
	for name := range people {
		if isAny(wordsOf(name), []string{"to", "recipient", "receiver", "empfaenger", "an"}) {
			return true
		}
	}
	return len(people) > 1
}

// weighFile returns the weight of a file that an actor has opened. Everybody who knows its
// address can read an unprotected file, which is worth mentioning if its record is
// protected.
func (r *report) weighFile(a *actor, t *target, f field) core.FindingWeight {
	switch {
	case f.options.Protected && a.kind == core.AttackGuest:
		return core.FindingHigh
	case f.options.Protected && a.home.open && len(t.owners) > 0:
		return core.FindingHigh
	case f.options.Protected || len(a.reads[t.Name]) == 0:
		return core.FindingMedium
	}
	return ""
}

// counterWords are in the names of fields that strangers often increment.
var counterWords = []string{"count", "counter", "like", "view", "vote", "click", "hit", "share", "download", "heart", "star", "anzahl", "stimme", "aufruf", "zaehler"}

// weighChange returns the weight of fields that an actor has changed in another's record,
// or of a deletion, for which there are no fields.
func (r *report) weighChange(a *actor, t *target, fields []string) core.FindingWeight {
	counters := len(fields) > 0 && !slices.ContainsFunc(fields, func(name string) bool {
		return !slices.ContainsFunc(t.fields, func(f field) bool { return f.Name == name && f.Type == "number" && isAny(wordsOf(name), counterWords) })
	})
	switch {
	case counters:
		return core.FindingMedium
	case a.kind == core.AttackGuest || a.home.open || len(t.owners) > 0:
		return core.FindingHigh
	}
	return core.FindingMedium
}
