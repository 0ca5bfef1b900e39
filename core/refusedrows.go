package core

// MaxRefusedRows bounds the reasons that an import is told at once.
const MaxRefusedRows = 100

// RefusedRows are the records of a file that an import refuses.
type RefusedRows struct {
	// Total is their number.
	Total int
	// Items are the first reasons, in the order of the file, at most MaxRefusedRows.
	Items []RefusedRow
}

// RefusedRow is a reason why a record of a file is refused.
type RefusedRow struct {
	// Line is where the record begins in a table, and its number in JSON, from 1.
	Line int
	// Field is the name of the column that is wrong, empty if it is not one.
	Field string
	// Rule is what the value does not keep to.
	Rule Phrase
}
