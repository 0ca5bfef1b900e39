package buildtest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
)

func makesFunctions(t *testing.T, open func(t *testing.T) build.Builder) {
	for _, mode := range modes {
		files := mustBuild(t, open(t), mode, project(map[string]string{
			"functions/hello.ts": "export default async (req: Request) => new Response('greeting')\n",
			"functions/plain.js": "export default () => new Response('plain secret')\n",
			"backend/seed.json":  `{"notes": [{"text": "seed secret"}]}`,
		}))
		if code := files[core.FunctionBundle("hello")]; !bytes.Contains(code.Content, []byte("greeting")) {
			t.Errorf("mode %s: got the function %q, want it with its text", mode, code.Content)
		}
		for path, file := range files {
			if !strings.HasPrefix(path, core.FunctionBundles+"/") && bytes.Contains(file.Content, []byte("secret")) {
				t.Errorf("mode %s: %s shows what belongs to the backend", mode, path)
			}
		}
	}
}

func reportsFunctions(t *testing.T, open func(t *testing.T) build.Builder) {
	for _, mode := range modes {
		got := diagnostics(t, open(t), mode, project(map[string]string{"functions/hello.ts": "export default () => {\n"}))
		if got[0].Path != "functions/hello.ts" || got[0].Line == 0 {
			t.Errorf("mode %s: got %+v, want a place in functions/hello.ts", mode, got[0])
		}
	}
}
