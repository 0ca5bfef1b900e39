package backend

import (
	"crypto/rand"
	"maps"
	"regexp"
	"slices"
	"strings"

	port "github.com/atelierhq/atelier/ports/backend"
)

var idPattern = regexp.MustCompile(`^[a-z0-9]{15}$`)

// resolve returns the body with the modifiers of names carried out: count+, tags-, +tags.
func (r *request) resolve(to row) map[string]any {
	body := maps.Clone(r.body)
	for _, f := range to.collection.fields {
		for _, modifier := range []string{f.Name + "+", "+" + f.Name, f.Name + "-"} {
			value, ok := r.body[modifier]
			if !ok {
				continue
			}
			delete(body, modifier)
			present, ok := body[f.Name]
			if !ok {
				present = to.get(f)
			}
			body[f.Name] = f.modify(f.normalize(present), value, modifier)
		}
	}
	return body
}

// modify adds a value to a present one, or takes it away.
func (f *field) modify(present, value any, modifier string) any {
	minus, front := strings.HasSuffix(modifier, "-"), strings.HasPrefix(modifier, "+")
	switch f.Type {
	case "number":
		sum, _ := present.(float64)
		by, ok := numberOf(value).(float64)
		if !ok {
			return value
		}
		if minus {
			return sum - by
		}
		return sum + by
	case "select", "relation", "file":
		have, given := textsOf(present), textsOf(value)
		switch {
		case minus:
			return slices.DeleteFunc(have, func(one string) bool { return slices.Contains(given, one) })
		case front:
			return append(given, have...)
		}
		return append(have, given...)
	}
	return present
}

// fill gives a record the values of the request's body, and keeps its files.
func (r *request) fill(to row, tx *transaction) (row, error) {
	isNew := to.id == ""
	r.body = r.resolve(to)
	if isNew {
		to.id = newID()
		if id := r.text("id"); id != "" {
			if !idPattern.MatchString(id) || tx.tables[to.collection.ID][id] != nil {
				return row{}, flawed("Failed to create record.", map[string]*flaw{"id": {"validation_invalid_format", "The id is invalid or taken."}})
			}
			to.id = id
		}
	}
	for _, f := range to.collection.fields {
		if f.Name == "id" || f.Type == "password" || f.Type == "autodate" || f.Name == "tokenKey" && f.system || f.hidden && !r.owner {
			continue
		}
		value, ok := r.body[f.Name]
		if f.Type == "file" {
			if err := r.fillFiles(to, f, tx); err != nil {
				return row{}, err
			}
			continue
		}
		if ok {
			to.values[f.key] = f.normalize(value)
		}
	}
	if to.collection.Type == port.Auth {
		return to, r.fillAuth(to, isNew, tx)
	}
	return to, nil
}

// fillAuth checks and sets what only the user, or who manages users, may set.
func (r *request) fillAuth(to row, isNew bool, tx *transaction) error {
	before := tx.tables[to.collection.ID][to.id]
	if before == nil {
		before = &record{values: map[string]any{}}
	}
	manages := r.manages(to)
	flaws := make(map[string]*flaw)
	if to.values["verified"] == true && before.values["verified"] != true && !manages {
		flaws["verified"] = flawInvalid
	}
	if !isNew && to.text("email") != (row{to.collection, before}).text("email") && !manages {
		flaws["email"] = &flaw{"validation_values_mismatch", "Values don't match."}
	}
	password := r.text("password")
	switch confirm, given := r.body["passwordConfirm"]; {
	case password == "" && isNew:
		flaws["password"] = flawRequired
	case password == "":
	case len(password) < 8 || len(password) > 71:
		flaws["password"] = &flaw{"validation_length_out_of_range", "Must be between 8 and 71 character(s)."}
	case (given || !manages) && confirm != password:
		flaws["passwordConfirm"] = &flaw{"validation_values_mismatch", "Values don't match."}
	case !isNew && !manages && !samePassword((row{to.collection, before}).text("password"), r.text("oldPassword")):
		flaws["oldPassword"] = &flaw{"validation_invalid_old_password", "Missing or invalid old password."}
	}
	if len(flaws) > 0 {
		return flawed("Failed to save record.", flaws)
	}
	if password != "" {
		to.values["password"] = hashPassword(password)
	}
	if isNew || password != "" || to.text("email") != (row{to.collection, before}).text("email") {
		to.values["tokenKey"] = rand.Text() + rand.Text()
	}
	return nil
}

// fillFiles keeps the uploaded files of a field, and drops those that it no longer names.
func (r *request) fillFiles(to row, f *field, tx *transaction) error {
	before := textsOf(to.get(f))
	names := before
	uploads := slices.Concat(r.files[f.Name], r.files[f.Name+"+"], r.files["+"+f.Name])
	if value, ok := r.body[f.Name]; ok {
		// A body may only keep names that are there.
		names = slices.DeleteFunc(textsOf(value), func(name string) bool { return !slices.Contains(before, name) })
	} else if len(r.files[f.Name]) > 0 && !f.many() {
		names = nil
	}
	prefix := to.collection.ID + "/" + to.id + "/"
	for _, upload := range uploads {
		name, content, problem := f.accept(upload)
		if problem != nil {
			return flawed("Failed to save record.", map[string]*flaw{f.Name: problem})
		}
		names = append(slices.Clone(names), name)
		tx.files[prefix+name] = content
	}
	to.values[f.key] = f.normalize(names)
	for _, name := range before {
		if !slices.Contains(textsOf(to.values[f.key]), name) {
			delete(tx.files, prefix+name)
		}
	}
	if most := max(f.options.MaxSelect, 1); len(names) > most {
		if f.many() {
			return flawed("Failed to save record.", map[string]*flaw{f.Name: {"validation_too_many_values", "Select no more than the maximum."}})
		}
	}
	return nil
}
