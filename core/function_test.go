package core_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestFunctionOf(t *testing.T) {
	for file, want := range map[string]string{
		"functions/hello.ts": "hello", "functions/hello.js": "hello", "functions/A-b_9.ts": "A-b_9",
		"functions/hello.d.ts": "", "functions/hello.test.ts": "", "functions/_shared.ts": "", "functions/.ts": "", "functions/a b.ts": "",
		"functions/lib/hello.ts": "", "functions/hello.tsx": "", "hello.ts": "", "src/functions/hello.ts": "", "functions/ä.ts": "",
		"functions/" + strings.Repeat("x", core.MaxFunctionNameBytes+1) + ".ts": "",
	} {
		got, found := core.FunctionOf(file)
		if found != (want != "") || found && got != want {
			t.Errorf("%s: got %q, %t, want %q", file, got, found, want)
		}
	}
}
