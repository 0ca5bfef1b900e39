package core_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestKeysOfVariablesAreIdentifiers(t *testing.T) {
	for _, key := range []string{"A", "_", "a", "VITE_API_URL", "_9", strings.Repeat("K", 128)} {
		if err := core.CheckVariableKey(key); err != nil {
			t.Errorf("%q: got %v, want nil", key, err)
		}
	}
	for _, key := range []string{"", "9A", "A-B", "A B", "A=B", "A\n", "Ä", "A\x00", "../A", "A.B", "\xff", strings.Repeat("K", 129)} {
		if err := core.CheckVariableKey(key); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("%q: got %v, want code %s", key, err, core.CodeValidationFailed)
		}
	}
}

func TestValuesOfVariablesAreBoundedText(t *testing.T) {
	for _, value := range []string{"", "x", "two\nlines\t東京", strings.Repeat("x", core.MaxVariableBytes)} {
		if err := core.CheckVariableValue(value); err != nil {
			t.Errorf("%.20q: got %v, want nil", value, err)
		}
	}
	for _, value := range []string{"secret\x00", "secret\xff", strings.Repeat("x", core.MaxVariableBytes+1)} {
		err := core.CheckVariableValue(value)
		if !core.IsCode(err, core.CodeValidationFailed) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%.20q: got %v, want code %s and nothing of the value", value, err, core.CodeValidationFailed)
		}
	}
}

func TestOnlyThePrefixMakesAVariablePublic(t *testing.T) {
	for key, want := range map[string]bool{"VITE_A": true, "VITE_": true, "VITE": false, "vite_a": false, "MY_VITE_A": false, "": false} {
		if got := (core.Variable{Key: key}).Public(); got != want {
			t.Errorf("%q: got public %t, want %t", key, got, want)
		}
	}
}
