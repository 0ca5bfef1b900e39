package styles

import (
	"flag"
	"os"
	"testing"

	"github.com/atelierhq/atelier/adapters/internal/tailwind"
)

var update = flag.Bool("update", false, "write the generated files anew")

// The script of the copy of Tailwind is bundled ahead. A new version of it, or of
// esbuild, makes this fail: run it with -update.
func TestTheScriptOfTailwindIsWhatBundlingGives(t *testing.T) {
	pkg := builtinPackage()
	engine := &engine{pkg: pkg, require: make(map[string]string), modules: make(map[string]string)}
	if err := engine.readExports(); err != nil {
		t.Fatal(err)
	}
	script, messages, err := engine.bundle(t.Context())
	if err != nil || len(messages) > 0 {
		t.Fatalf("got %v, %v, want a bundle", messages, err)
	}
	if *update {
		if err := os.WriteFile("../../internal/tailwind/script.js", []byte(script), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if script != tailwind.Script {
		t.Error("adapters/internal/tailwind/script.js is not what bundling gives: run go test ./adapters/esbuild/styles -run TestTheScriptOfTailwind -update")
	}
}
