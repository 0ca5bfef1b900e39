package excerpt

import (
	"fmt"
	"strings"
	"testing"
)

func TestTheBeginningIsKept(t *testing.T) {
	for written, want := range map[string]string{
		"":                                     "",
		"panic: no\n\ngoroutine 1 [running]:":  "panic: no",
		strings.Repeat("x", 3*maxBytes):        strings.Repeat("x", maxBytes),
		strings.Repeat("y", maxBytes-1) + "yz": strings.Repeat("y", maxBytes),
	} {
		var e Excerpt
		for part := range strings.Lines(written) {
			if n, err := fmt.Fprint(&e, part); n != len(part) || err != nil {
				t.Errorf("Write: got %d, %v, want all of %d bytes taken", n, err, len(part))
			}
		}
		if got := e.String(); got != want {
			t.Errorf("got %.40q of %d bytes, want %.40q of %d", got, len(got), want, len(want))
		}
	}
}
