package bunstore

import (
	"database/sql"
	"fmt"
	"reflect"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"
	bunschema "github.com/uptrace/bun/schema"
)

// resultRows is the result of a lookup.
type resultRows struct {
	columns []string
	// cells holds the columns row by row: as text, and for a bytea its content. NULL is
	// nil.
	cells [][]byte
}

// readRows copies a result out of the connection's memory.
func readRows(reader *pgconn.ResultReader, columns []string) (resultRows, error) {
	found := resultRows{columns: columns}
	for reader.NextRow() {
		values := reader.Values()
		found.cells = slices.Grow(found.cells, len(values))
		row := make([]byte, 0, length(values))
		for _, value := range values {
			if value == nil {
				found.cells = append(found.cells, nil)
				continue
			}
			begin := len(row)
			row = append(row, value...)
			found.cells = append(found.cells, row[begin:])
		}
	}
	_, err := reader.Close()
	return found, err
}

func length(values [][]byte) (sum int) {
	for _, value := range values {
		sum += len(value)
	}
	return sum
}

// scan is lookups.scan.
func (r resultRows) scan(db *bun.DB, into any) error {
	target := reflect.ValueOf(into).Elem()
	if target.Kind() != reflect.Slice {
		if len(r.cells) == 0 {
			return sql.ErrNoRows
		}
		return r.scanRow(db, 0, target)
	}
	if len(r.cells) == 0 {
		return nil
	}
	count := len(r.cells) / len(r.columns)
	target.Set(reflect.MakeSlice(target.Type(), count, count))
	for i := range count {
		if err := r.scanRow(db, i, target.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

// scanRow reads the i-th row into a model, or its only column into a value.
func (r resultRows) scanRow(db *bun.DB, i int, target reflect.Value) error {
	cells := r.cells[i*len(r.columns):][:len(r.columns)]
	if target.Kind() != reflect.Struct {
		return bunschema.Scanner(target.Type())(target, source(cells[0]))
	}
	model := db.Table(target.Type())
	for k, column := range r.columns {
		field := model.LookupField(column)
		if field == nil {
			return fmt.Errorf("%s does not have the column %q", model.TypeName, column)
		}
		if err := field.ScanValue(target, source(cells[k])); err != nil {
			return err
		}
	}
	return nil
}

// source returns a cell as bun's scanners expect it.
func source(cell []byte) any {
	if cell == nil {
		return nil
	}
	return cell
}
