package quickjs

import (
	"embed"
	"fmt"
	"strings"

	"modernc.org/quickjs"
)

//go:embed web
var web embed.FS

// hostName is the global variable in which the first script finds the host.
const hostName = "isolateHost"

// preludeSource joins the scripts of web.
func preludeSource() (string, error) {
	var source strings.Builder
	for _, name := range []string{"begin", "text", "url", "timers", "bodies", "fetch", "crypto", "clone", "console", "context", "end"} {
		part, err := web.ReadFile("web/" + name + ".js")
		if err != nil {
			return "", err
		}
		source.Write(part)
	}
	return source.String(), nil
}

// compile makes bytecode of a script in a machine of its own, within its memory.
func compile(source string, memory uintptr) (bytecode []byte, err error) {
	defer contain(&err)
	vm, err := quickjs.NewVM()
	if err != nil {
		return nil, err
	}
	defer vm.Close()
	vm.SetMemoryLimit(memory)
	return vm.Compile(source, quickjs.EvalGlobal)
}

// wrap makes an expression of a CommonJS script: a function that runs it. The engine calls every
// script <eval>, so that lines after those of the first script tell the frames of this one.
func wrap(code []byte, lines int) string {
	return "(function (module, exports) {" + strings.Repeat("\n", lines) + string(code) + "\n})"
}

// errEngine is a panic of the engine. The machine, and with it some memory, is lost.
type errEngine struct{ cause any }

// Error implements error.
func (e *errEngine) Error() string { return fmt.Sprintf("the JavaScript engine failed: %v", e.cause) }

// contain makes a panic of the engine an error.
func contain(err *error) {
	if cause := recover(); cause != nil {
		*err = &errEngine{cause}
	}
}
