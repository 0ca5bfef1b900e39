package functions_test

import (
	"encoding/json"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
	"github.com/atelierhq/atelier/ports/build"
)

func TestTheFunctionsOfAnEnvironmentAreListed(t *testing.T) {
	h := newHouse(t, map[string]string{"tidy": noting, "a-b": noting})
	h.build.Files = append(h.build.Files,
		build.File{Path: "index.html"}, build.File{Path: core.FunctionSourceMap("tidy")}, build.File{Path: "_fn/deeper/x.js"},
		build.File{Path: core.FunctionSchedulesPath, Content: []byte(`{"tidy": "0 8 * * *", "gone": "0 8 * * *", "a-b": "daily"}`)},
	)
	list := func(env core.DataEnv) string {
		found, err := h.List(t.Context(), h.member, backend.Place{Project: h.project.ID, Env: env})
		h.must(err)
		text, err := json.Marshal(found)
		h.must(err)
		return string(text)
	}
	const want = `[{"name":"a-b","path":"/_fn/a-b","schedule":null,"nextAt":null},{"name":"tidy","path":"/_fn/tidy","schedule":"0 8 * * *","nextAt":null}]`
	if got := list(core.DataTest); got != want {
		t.Errorf("got %s of the preview, want %s", got, want)
	}
	if got := list(core.DataLive); got != "null" {
		t.Errorf("got %s of a project that is not published, want nothing", got)
	}
	if _, err := h.List(t.Context(), h.nobody, backend.Place{Project: h.project.ID, Env: core.DataTest}); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v for a stranger, want %s", err, core.CodeNotFound)
	}
}
