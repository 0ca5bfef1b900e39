package backend_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

func TestRefusedRecordsAreBounded(t *testing.T) {
	refused := &backend.RefusedRecords{}
	if err := refused.Err(); err != nil {
		t.Errorf("got %v without a refusal", err)
	}
	for i := range 2 * core.MaxRefusedRows {
		refused.Add(i, map[string]string{"b": "second", "a": strings.Repeat("ü", 1000)})
	}
	if !core.IsCode(refused.Err(), core.CodeValidationFailed) || refused.Records != 2*core.MaxRefusedRows || len(refused.Refusals) != core.MaxRefusedRows {
		t.Errorf("got %d records with %d reasons", refused.Records, len(refused.Refusals))
	}
	if first := refused.Refusals[0]; first.Field != "a" || first.Message != strings.Repeat("ü", 200) || refused.Refusals[1].Field != "b" {
		t.Errorf("got %+v, want the fields in order and a message that is cut", first)
	}
}
