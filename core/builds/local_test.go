package builds

import (
	"maps"
	"testing"
	"testing/fstest"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
)

func TestPackagesInFoldersAreNotFetched(t *testing.T) {
	files := fstest.MapFS{}
	for name, content := range map[string]string{
		"package.json":                `{"dependencies": {"react": "^19", "@r/ui": "file:packages/ui", "react-scripts": "5.0.1", "archive": "file:a.tgz"}}`,
		"packages/ui/package.json":    `{"dependencies": {"react": "^18", "clsx": "^2", "@r/inner": "link:../inner", "@r/none": "workspace:*"}}`,
		"packages/inner/package.json": "\ufeff" + `{"dependencies": {"zod": "^4", "@r/ui": "file:../ui"}}`,
	} {
		files[name] = &fstest.MapFile{Data: []byte(content)}
	}
	got, err := Dependencies(files)
	want := map[string]string{"react": "^19", "clsx": "^2", "zod": "^4", "archive": "file:a.tgz"}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

func TestToolsFindPublicValuesByTheirOwnNames(t *testing.T) {
	for asked, want := range map[string]map[string]string{
		"react":         {"VITE_A": "a"},
		"react-scripts": {"VITE_A": "a", "REACT_APP_A": "a"},
	} {
		b := &bench{}
		files := tree{"package.json": &fstest.MapFile{Data: []byte(`{"dependencies": {"` + asked + `": "*"}}`)}}
		_, err := NewMaker(Deps{Sources: files, Environment: b, Resolver: b, Builder: b}).Make(t.Context(), core.NewID(), build.ModePreview)
		if err != nil || !maps.Equal(b.built.Env, want) {
			t.Errorf("%s: got the environment %v, %v, want %v", asked, b.built, err, want)
		}
	}
}
