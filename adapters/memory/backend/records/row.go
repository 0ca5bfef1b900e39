package records

import (
	"maps"
)

// Record is a record. Its values are by the keys of fields: text (string), number (float64),
// bool, several texts ([]string), or anything JSON has.
type Record struct {
	ID string
	// Number orders the records by their creation.
	Number int64
	Values map[string]any
}

// Row is a record of a collection. The zero value is no record.
type Row struct {
	Collection *Collection
	*Record
}

// NewRow returns a record without values, which is not in the collection yet.
func NewRow(c *Collection) Row { return Row{c, &Record{Values: make(map[string]any)}} }

// Exists reports whether there is a record.
func (r Row) Exists() bool { return r.Record != nil }

// Clone returns a copy of a record that may be changed.
func (r Row) Clone() Row {
	return Row{r.Collection, &Record{ID: r.ID, Number: r.Number, Values: maps.Clone(r.Values)}}
}

// Get returns the value of a field.
func (r Row) Get(f *Field) any {
	if f.Name == "id" && f.System {
		return r.ID
	}
	if value, ok := r.Values[f.Key]; ok {
		return value
	}
	return f.zero()
}

// Text returns the value of a system field that is a text.
func (r Row) Text(name string) string {
	text, _ := r.Values[name].(string)
	return text
}

// Same reports whether two rows are the same record, of this moment or another.
func (r Row) Same(other Row) bool {
	return r.Exists() && other.Exists() && r.Collection.ID == other.Collection.ID && r.ID == other.ID
}
