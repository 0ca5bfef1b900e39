package core_test

import (
	"errors"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestAByteOrderMarkIsNoPartOfAFile(t *testing.T) {
	const mark = "\ufeff"
	if check, err := core.ParseCheck([]byte(mark + soundCheck)); err != nil || check.Title != "Adding a task" {
		t.Errorf("got %+v, %v, want the check", check, err)
	}
	_, err := core.ParseCheck([]byte(mark + `{]`))
	var fault *core.Error
	if !errors.As(err, &fault) || len(fault.Diagnostics) != 1 || fault.Diagnostics[0].Column != 2 {
		t.Errorf("got %v, want the fault in the second column", err)
	}
	if found := core.ParseFunctionSchedules([]byte(mark + `{"hello": "0 6 * * *"}`)); len(found) != 1 {
		t.Errorf("got %+v, want the schedule", found)
	}
}

func TestIsLFSPointer(t *testing.T) {
	const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n"
	for content, want := range map[string]bool{
		pointer: true, "": false, " " + pointer: false, "version https://git-lfs.github.com/spec/v10\n": false, pointer + string(make([]byte, core.MaxLFSPointerBytes)): false,
	} {
		if got := core.IsLFSPointer([]byte(content)); got != want {
			t.Errorf("%.60q: got %t, want %t", content, got, want)
		}
	}
}
