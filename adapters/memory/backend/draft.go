package backend

import (
	"maps"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/adapters/memory/backend/records"
	"github.com/atelierhq/atelier/adapters/memory/backend/values"
	port "github.com/atelierhq/atelier/ports/backend"
)

// draft is a record, new or a changed copy, that gets the values of a request's body.
type draft struct {
	*request
	row   records.Row
	isNew bool
}

// fill gives the record the values of the body, and keeps its files.
func (d *draft) fill(tx *records.Transaction) error {
	d.resolve()
	if d.isNew {
		if err := d.setID(tx); err != nil {
			return err
		}
	}
	for _, f := range d.row.Collection.Fields {
		if f.Name == "id" || f.Type == "password" || f.Type == "autodate" || f.Name == "tokenKey" && f.System || f.Hidden && !d.owner {
			continue
		}
		value, ok := d.Body[f.Name]
		if f.Type == "file" {
			if err := d.fillFiles(f, tx); err != nil {
				return err
			}
			continue
		}
		if ok {
			d.row.Values[f.Key] = f.Normalize(value)
		}
	}
	if d.row.Collection.Type == port.Auth {
		return d.fillAuth(tx)
	}
	return nil
}

// resolve carries out the modifiers of names in the body: count+, tags-, +tags.
func (d *draft) resolve() {
	body := maps.Clone(d.Body)
	for _, f := range d.row.Collection.Fields {
		for _, modifier := range []string{f.Name + "+", "+" + f.Name, f.Name + "-"} {
			value, ok := d.Body[modifier]
			if !ok {
				continue
			}
			delete(body, modifier)
			present, ok := body[f.Name]
			if !ok {
				present = d.row.Get(f)
			}
			body[f.Name] = modify(f, f.Normalize(present), value, modifier)
		}
	}
	d.Body = body
}

// modify adds a value to a present one, or takes it away.
func modify(f *records.Field, present, value any, modifier string) any {
	minus, front := strings.HasSuffix(modifier, "-"), strings.HasPrefix(modifier, "+")
	switch f.Type {
	case "number":
		sum, _ := present.(float64)
		by, ok := values.Number(value).(float64)
		if !ok {
			return value
		}
		if minus {
			return sum - by
		}
		return sum + by
	case "select", "relation", "file":
		have, given := values.Texts(present), values.Texts(value)
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

// setID gives a new record its id.
func (d *draft) setID(tx *records.Transaction) error {
	d.row.ID = records.NewID()
	id := d.text("id")
	if id == "" {
		return nil
	}
	flaw := d.row.Collection.ByName("id").Check(tx.State, id)
	if _, taken := tx.Find(d.row.Collection, id); taken || flaw != nil {
		return &records.Invalid{Message: "Failed to create record.", Flaws: map[string]*records.Flaw{"id": {Code: "validation_invalid_format", Message: "The id is invalid or taken."}}}
	}
	d.row.ID = id
	return nil
}

// fillAuth checks and sets what only the user, or who manages users, may set.
func (d *draft) fillAuth(tx *records.Transaction) error {
	before, ok := tx.Find(d.row.Collection, d.row.ID)
	if !ok {
		before = records.NewRow(d.row.Collection)
	}
	manages := d.manages(d.row)
	flaws := make(map[string]*records.Flaw)
	if (d.row.Values["verified"] == true) != (before.Values["verified"] == true) && !manages {
		flaws["verified"] = flawMismatch
	}
	newEmail := d.row.Text("email") != before.Text("email")
	if !d.isNew && newEmail && !manages {
		flaws["email"] = flawMismatch
	}
	d.checkPassword(before, manages, flaws)
	if len(flaws) > 0 {
		return &records.Invalid{Message: "Failed to save record.", Flaws: flaws}
	}
	password := d.text("password")
	if password != "" {
		d.row.Values["password"] = hashPassword(password)
	}
	if d.isNew || password != "" || newEmail {
		d.row.Values["tokenKey"] = records.NewSecret()
	}
	return nil
}

var flawMismatch = &records.Flaw{Code: "validation_values_mismatch", Message: "Values don't match."}

// checkPassword adds the faults of a new password. People who manage users need not repeat it, nor
// know the old one.
func (d *draft) checkPassword(before records.Row, manages bool, flaws map[string]*records.Flaw) {
	password := d.text("password")
	switch repeated, given := d.Body["passwordConfirm"]; {
	case password == "" && d.isNew:
		flaws["password"] = records.FlawRequired
	case password == "":
	case !fitsPassword(password):
		flaws["password"] = &records.Flaw{Code: "validation_length_out_of_range", Message: "Must be between 8 and 71 character(s)."}
	case (given || !manages) && repeated != password:
		flaws["passwordConfirm"] = flawMismatch
	case !d.isNew && !manages && !samePassword(before.Text("password"), d.text("oldPassword")):
		flaws["oldPassword"] = &records.Flaw{Code: "validation_invalid_old_password", Message: "Missing or invalid old password."}
	}
}

// fillFiles keeps the uploaded files of a field, and drops those that it no longer names.
func (d *draft) fillFiles(f *records.Field, tx *records.Transaction) error {
	before := values.Texts(d.row.Get(f))
	names := before
	uploads := slices.Concat(d.files[f.Name], d.files[f.Name+"+"], d.files["+"+f.Name])
	if value, ok := d.Body[f.Name]; ok {
		// A body may only keep names that are there.
		names = slices.DeleteFunc(values.Texts(value), func(name string) bool { return !slices.Contains(before, name) })
	} else if len(d.files[f.Name]) > 0 && !f.Many() {
		names = nil
	}
	prefix := d.row.Collection.ID + "/" + d.row.ID + "/"
	for _, upload := range uploads {
		name, content, problem := accept(f, upload)
		if problem != nil {
			return &records.Invalid{Message: "Failed to save record.", Flaws: map[string]*records.Flaw{f.Name: problem}}
		}
		names = append(slices.Clone(names), name)
		tx.Files[prefix+name] = content
	}
	d.row.Values[f.Key] = f.Normalize(names)
	for _, name := range before {
		if !slices.Contains(values.Texts(d.row.Values[f.Key]), name) {
			delete(tx.Files, prefix+name)
		}
	}
	if f.Many() && len(names) > f.Options.MaxSelect {
		return &records.Invalid{Message: "Failed to save record.", Flaws: map[string]*records.Flaw{f.Name: {Code: "validation_too_many_values", Message: "Select no more than the maximum."}}}
	}
	return nil
}
