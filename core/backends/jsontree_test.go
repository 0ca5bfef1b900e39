package backends

import "testing"

func TestAByteOrderMarkIsNoPartOfAFile(t *testing.T) {
	const mark = "\ufeff"
	declared, wrong := ParseSchema([]byte(mark + guestbook))
	if len(wrong) > 0 || len(declared.Collections) != 2 {
		t.Errorf("got %+v and %v, want both collections", declared.Collections, wrong)
	}
	if _, wrong := ParseSchema([]byte(mark + "{]")); len(wrong) != 1 || wrong[0].Line != 1 || wrong[0].Column != 2 {
		t.Errorf("got %v, want the fault in the second column", wrong)
	}
}
