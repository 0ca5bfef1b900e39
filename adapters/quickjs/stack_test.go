package quickjs_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/quickjs"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/functions"
)

func TestStacksNamePlacesInTheFunction(t *testing.T) {
	r := runner(t, quickjs.DefaultLimits())
	for _, c := range []struct{ script, stack, console string }{
		{"\nfunction inner() { throw new Error('x') }\nexports.default = async () => {\n  await null\n  inner() }", "at inner (function.js:2:35)\n    at <anonymous> (function.js:5:8)", ""},
		{"\n\nthrow new TypeError('top')", "at <anonymous> (function.js:3:20)", ""},
		{"\n\n syntax error", "at function.js:3:9", ""},
		{"exports.default = () => { null.foo }", "at <anonymous> (function.js:1:31)", ""},
		{"exports.default = () => new Promise(() => setTimeout(() => {\n throw new RangeError('timer') }, 1))", "at <anonymous> (function.js:2:22)", ""},
		{"exports.default = () => {\n console.error(new Error('logged')); console.log('<eval>:x'); throw 1 }", "", "Error: logged\n    at <anonymous> (function.js:2:25)\n<eval>:x"},
	} {
		found, err := r.Run(t.Context(), functions.Call{Tenant: core.NewID(), Code: []byte(c.script), Request: functions.Request{Method: "GET", URL: "https://a.example/"}}, nil)
		if err != nil || found.Failure == nil {
			t.Fatal(err, found.Failure)
		}
		var said []string
		for _, line := range found.Console {
			said = append(said, line.Text)
		}
		if got := strings.TrimSpace(found.Failure.Stack); got != c.stack || strings.Join(said, "\n") != c.console {
			t.Errorf("%s: got the stack %q and the console %q, want %q and %q", c.script, got, said, c.stack, c.console)
		}
	}
}
