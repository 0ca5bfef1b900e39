package bunstore

import (
	bunschema "github.com/uptrace/bun/schema"

	"github.com/atelierhq/atelier/ports/storage"
)

// argument returns a text as the argument of a statement: itself, or nil, which is NULL, if
// it is not storable. Such a text must not reach a database: PostgreSQL refuses it, and bun
// would replace invalid UTF-8, so that it might equal the text of a record.
//
// It names no record either, and NULL equals nothing. So statements with it find, change and
// delete no rows, and a row that refers to it has no parent (failureParent). Records whose
// own texts are not storable are refused before (storage.CheckText).
func argument(text string) any {
	if !storage.Storable(text) {
		return nil
	}
	return text
}

// arguments is a dialect of bun that writes texts into statements as argument says.
type arguments struct{ bunschema.Dialect }

// AppendString implements bun's Dialect.
func (a arguments) AppendString(statement []byte, text string) []byte {
	if argument(text) == nil {
		return append(statement, "NULL"...)
	}
	return a.Dialect.AppendString(statement, text)
}
