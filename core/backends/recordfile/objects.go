package recordfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/atelierhq/atelier/core"
)

var errNoList = errors.New("there is no list of records")

// objects reads records in JSON: a list, or an object with the member items.
func (r *reader) objects(content []byte) error {
	from := json.NewDecoder(bytes.NewReader(content))
	err := r.list(from)
	if err == nil {
		if _, err = from.Token(); err == nil {
			err = errors.New("something follows the list")
		} else if errors.Is(err, io.EOF) {
			return nil
		}
	}
	return core.Wrap(core.CodeInvalidRequest, err, `the file must be a list of records in JSON, or {"items": [records]}`)
}

// list reads the value that has the records.
func (r *reader) list(from *json.Decoder) error {
	begin, err := from.Token()
	switch {
	case err != nil:
		return err
	case begin == json.Delim('['):
		return r.records(from)
	case begin != json.Delim('{'):
		return errNoList
	}
	found := false
	for from.More() {
		name, err := from.Token()
		if err != nil {
			return err
		}
		if name != "items" || found {
			var other json.RawMessage
			if err := from.Decode(&other); err != nil {
				return err
			}
			continue
		}
		if begin, err := from.Token(); err != nil || begin != json.Delim('[') {
			return errors.Join(errNoList, err)
		}
		if err := r.records(from); err != nil {
			return err
		}
		found = true
	}
	if _, err := from.Token(); err != nil || !found {
		return errors.Join(errNoList, err)
	}
	return nil
}

// records reads the records of a list.
func (r *reader) records(from *json.Decoder) error {
	unknown := make(map[string]bool)
	for from.More() {
		var record map[string]json.RawMessage
		if err := from.Decode(&record); err != nil {
			return err
		}
		if record == nil {
			return errNoList
		}
		if one := r.begin(r.file.Records + 1); one != nil {
			one.read(record, unknown)
			one.end()
		}
	}
	_, err := from.Token()
	return err
}

// read takes the members of a record. A field that the collection does not have is refused once.
func (d *draft) read(record map[string]json.RawMessage, unknown map[string]bool) {
	has := func(name string) bool { _, has := record[name]; return has }
	for _, name := range slices.Sorted(maps.Keys(record)) {
		c, ok := find(d.columns, name, has)
		switch {
		case ok:
			value, err := c.typed(record[name])
			d.set(c.name, value, err)
		case !isEverywhere(name) && !unknown[name] && len(unknown) < core.MaxRefusedRows:
			unknown[name] = true
			d.refuse(shortened(name), errNoField)
		}
	}
}
