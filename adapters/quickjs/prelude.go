package quickjs

import (
	"embed"
	"fmt"
	"strings"

	"modernc.org/quickjs"
)

//go:embed web
var web embed.FS

// hostName is the global variable through which the first script gets the host.
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

// compile compiles a script to bytecode in a separate machine with limited memory.
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

// wrap makes an expression of a CommonJS script: a function that runs it. The engine names
// every script <eval>, so the line numbers of this one start after those of the first
// script to tell their stack frames apart.
func wrap(code []byte, lines int) string {
	return "(function (module, exports) {" + strings.Repeat("\n", lines) + string(code) + "\n})"
}

// errEngine is a panic of the engine. Its machine and some memory are lost.
type errEngine struct{ cause any }

// Error implements error.
func (e *errEngine) Error() string { return fmt.Sprintf("the JavaScript engine failed: %v", e.cause) }

// contain converts a panic of the engine to an error.
func contain(err *error) {
	if cause := recover(); cause != nil {
		*err = &errEngine{cause}
	}
}
