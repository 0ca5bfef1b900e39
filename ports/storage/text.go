package storage

import (
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
)

// Storable reports whether every database can keep text: it is valid UTF-8
// without NUL characters. Text that is not storable names no record.
func Storable(text string) bool {
	return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0
}

// CheckText holds every text of a record, a struct, to Storable, so that all
// adapters refuse the same. The error has code core.CodeValidationFailed and
// names the field.
func CheckText(record any) error {
	value := reflect.ValueOf(record)
	for i := range value.NumField() {
		field := reflect.Indirect(value.Field(i))
		if field.Kind() == reflect.String && !Storable(field.String()) {
			return core.Errorf(core.CodeValidationFailed, "%s is not valid text", value.Type().Field(i).Name)
		}
	}
	return nil
}
