package storage

import (
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
)

// Storable reports whether every database can store text: it must be valid UTF-8
// without NUL characters. Text that is not storable names no record.
func Storable(text string) bool {
	return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0
}

// CheckText checks that every text of a record, a struct, is Storable, including
// those in its lists and behind its pointers, so that all adapters refuse the same.
// The error has code core.CodeValidationFailed and names the field.
func CheckText(record any) error {
	value := reflect.ValueOf(record)
	for i := range value.NumField() {
		if !isStorable(value.Field(i)) {
			return core.Errorf(core.CodeValidationFailed, "%s is not valid text", value.Type().Field(i).Name)
		}
	}
	return nil
}

func isStorable(value reflect.Value) bool {
	switch value.Kind() {
	case reflect.String:
		return Storable(value.String())
	case reflect.Pointer:
		return value.IsNil() || isStorable(value.Elem())
	case reflect.Struct:
		for _, field := range value.Fields() {
			if !isStorable(field) {
				return false
			}
		}
	case reflect.Slice:
		if value.Type().Elem().Kind() == reflect.Uint8 {
			return true
		}
		for i := range value.Len() {
			if !isStorable(value.Index(i)) {
				return false
			}
		}
	}
	return true
}
