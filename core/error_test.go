package core_test

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestCodesListsEveryConstant(t *testing.T) {
	want := constantsOf(t, "error.go", "Code")
	// These never appear in the body of an HTTP error.
	elsewhere := []core.Code{core.CodeInterrupted, core.CodeAccessDenied, core.CodeInvalidState, core.CodeNoEmail, core.CodeEmailDomain, core.CodeTooManyGroups}
	want = slices.DeleteFunc(want, func(code string) bool { return slices.Contains(elsewhere, core.Code(code)) })
	got := core.Codes()
	if len(got) != len(want) {
		t.Errorf("got %d codes, want the %d constants that are no events or parameters", len(got), len(want))
	}
	for _, code := range want {
		if !slices.Contains(got, core.Code(code)) {
			t.Errorf("the code %q is missing", code)
		}
	}
}

func TestCodeOf(t *testing.T) {
	inner := core.Errorf(core.CodeConflict, "taken")
	for _, c := range []struct {
		name string
		err  error
		want core.Code
	}{
		{"nothing", nil, ""},
		{"an error without a code", errors.New("x"), core.CodeInternal},
		{"an error", inner, core.CodeConflict},
		{"a wrapped error", fmt.Errorf("write: %w", inner), core.CodeConflict},
		{"joined errors", errors.Join(errors.New("x"), inner), core.CodeConflict},
		{"the outermost of two", core.Wrap(core.CodeUnavailable, inner, "disk"), core.CodeUnavailable},
		{"not found", core.NotFound("chat"), core.CodeNotFound},
	} {
		if got := core.CodeOf(c.err); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
		if !core.IsCode(c.err, c.want) && c.err != nil || core.IsCode(c.err, core.CodeInvalidCursor) || core.IsCode(nil, "") {
			t.Errorf("%s: IsCode disagrees", c.name)
		}
	}
}

func TestErrorKeepsItsCauseForTheLog(t *testing.T) {
	err := core.Wrap(core.CodeUnavailable, fs.ErrPermission, "cannot write %q", "a")
	if !errors.Is(err, fs.ErrPermission) {
		t.Error("got an error that is not its cause, want it to be")
	}
	if got, want := err.Message, `cannot write "a"`; got != want {
		t.Errorf("got the message %q, want %q", got, want)
	}
	if got, want := err.Error(), `unavailable: cannot write "a": permission denied`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := core.NotFound("chat").Error(), "not_found: no such chat"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if core.NotFound("chat").Unwrap() != nil {
		t.Error("got a cause, want none")
	}
}
