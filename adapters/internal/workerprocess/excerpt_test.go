package workerprocess

import (
	"fmt"
	"strings"
	"testing"
)

func TestTheBeginningOfTheOutputIsKept(t *testing.T) {
	for written, want := range map[string]string{
		"":                                     "",
		"panic: no\n\ngoroutine 1 [running]:":  "panic: no",
		strings.Repeat("x", 3*maxExcerptBytes): strings.Repeat("x", maxExcerptBytes),
		strings.Repeat("y", maxExcerptBytes-1) + "yz": strings.Repeat("y", maxExcerptBytes),
	} {
		var e excerpt
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
