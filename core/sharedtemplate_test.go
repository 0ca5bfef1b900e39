package core_test

import (
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestEnvironmentFilesDoNotTravelWithATemplate(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"src/App.tsx": true, "environment.ts": true, "src/env.ts": true, ".env.example": true, "server/.env.sample": true, ".ENV.template": true,
		".env": false, ".env.local": false, ".env.production": false, ".ENV": false, "server/.env": false, ".envrc": false, ".env/secret": false,
	} {
		for _, withSeed := range []bool{false, true} {
			if got := core.TravelsWithTemplate(core.MustPath(path), withSeed); got != want {
				t.Errorf("%s: got %t, want %t", path, got, want)
			}
		}
	}
	for _, withSeed := range []bool{false, true} {
		if got := core.TravelsWithTemplate(core.MustPath(core.BackendSeedPath), withSeed); got != withSeed {
			t.Errorf("the seed: got %t, want %t", got, withSeed)
		}
	}
}

func TestTheTemplatesOfAWorkspaceAreBounded(t *testing.T) {
	t.Parallel()
	large := core.SharedTemplate{Bytes: core.MaxSharedTemplateBytes}
	for name, c := range map[string]struct {
		others []core.SharedTemplate
		added  core.SharedTemplate
		want   core.Code
	}{
		"the first":     {nil, large, ""},
		"the last":      {make([]core.SharedTemplate, core.MaxSharedTemplates-1), large, ""},
		"one too many":  {make([]core.SharedTemplate, core.MaxSharedTemplates), core.SharedTemplate{}, core.CodeConflict},
		"just in size":  {[]core.SharedTemplate{{Bytes: core.MaxSharedTemplateBytesTogether - 1}}, core.SharedTemplate{Bytes: 1}, ""},
		"one byte more": {[]core.SharedTemplate{{Bytes: core.MaxSharedTemplateBytesTogether - 1}}, core.SharedTemplate{Bytes: 2}, core.CodePayloadTooLarge},
	} {
		if got := core.CodeOf(core.CheckSharedTemplates(c.others, c.added)); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestTheDescriptionOfATemplateIsBounded(t *testing.T) {
	t.Parallel()
	full := strings.Repeat("ß", core.MaxSharedTemplateDescription)
	if got, err := core.CheckSharedDescription("  " + full + "\n"); err != nil || got != full {
		t.Errorf("got %q (%v), want the description without the space around it", got, err)
	}
	for _, text := range []string{full + "x", "a\x00b", "\xff"} {
		if _, err := core.CheckSharedDescription(text); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("%.20q: got %v, want %s", text, err, core.CodeValidationFailed)
		}
	}
}
