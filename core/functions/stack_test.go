package functions_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/atelierhq/atelier/adapters/esbuild"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
	"github.com/atelierhq/atelier/ports/sites"
)

func TestAStackNamesTheSourcesOfAFunction(t *testing.T) {
	builder, err := esbuild.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	made, err := builder.Build(t.Context(), build.Request{Mode: build.ModeSite, Env: map[string]string{"VITE_A": "b"}, Files: fstest.MapFS{
		"index.html":             {Data: []byte("<!doctype html><title>Shop</title>")},
		"functions/breaks.ts":    {Data: []byte("import { count } from './lib/stock'\ninterface Body { id: string }\n\nexport default async (req: Request): Promise<Response> => {\n  const body: Body = { id: String(import.meta.env) }\n  console.error(new Error('seen'))\n  return new Response(String(count(body.id)))\n}\n")},
		"functions/lib/stock.ts": {Data: []byte("type Id = string\n\nexport function count(id: Id): number {\n  throw new Error('no stock of ' + id)\n}\n")},
	}})
	if err != nil || len(made.Diagnostics) > 0 {
		t.Fatal(made.Diagnostics, err)
	}
	h := newHouse(t, nil)
	h.build.Files = made.Files
	files := make([]sites.File, len(made.Files))
	for i, file := range made.Files {
		files[i] = sites.File(file)
	}
	deployment := core.NewID()
	h.must(h.sites.Put(t.Context(), deployment, files))
	_, err = h.store.Tables().Projects.Update(t.Context(), h.project.ID, func(p *core.Project) error { p.DeploymentID = &deployment; return nil })
	h.must(err)
	for _, env := range []core.DataEnv{core.DataTest, core.DataLive} {
		h.want(h.ask(env, "GET", "/_fn/breaks", "", nil), http.StatusInternalServerError, "the function failed")
		runs := h.runs(env)
		if len(runs) != 1 || !strings.Contains(runs[0].Error, "at count (functions/lib/stock.ts:4:") || !strings.Contains(runs[0].Error, "(functions/breaks.ts:7:") || !strings.Contains(runs[0].Console[0].Text, "(functions/breaks.ts:6:") {
			t.Errorf("%s: got %+v, want the places in the sources", env, runs)
		}
	}
}
