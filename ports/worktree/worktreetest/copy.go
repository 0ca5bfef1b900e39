package worktreetest

import (
	"context"
	"io"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

func copyClauses() []clause {
	return []clause{
		{"files are copied to another tree as they are", copied},
		{"a missing file is not copied", copiesWhatIsThere},
		{"a copy and its source go ways of their own", copiesPart},
		{"a tree that is not there is neither copied nor copied to", copiesTrees},
	}
}

func copied(t *testing.T, h Harness) {
	from, to := core.NewID(), core.NewID()
	source, target := Create(t, h, from), Create(t, h, to)
	contents := map[string]string{"a": "1", "empty": "", "d/e/é 東.txt": "deep", "d/b": "\x00\xff", "dist/out.js": "built"}
	var paths []core.ProjectPath
	for name, content := range contents {
		WriteFile(t, source, name, content)
		paths = append(paths, core.MustPath(name))
	}
	WriteFile(t, source, "left", "out")
	conformance.Must(t, h.Trees.Copy(t.Context(), from, to, paths))
	for name, content := range contents {
		want, err := source.Stat(t.Context(), core.MustPath(name))
		conformance.Must(t, err)
		file, err := target.Open(t.Context(), core.MustPath(name))
		conformance.Must(t, err)
		got, err := io.ReadAll(file)
		conformance.Must(t, err)
		if string(got) != content || file.Info() != want {
			t.Errorf("%s: got %q and %+v, want %q and %+v", name, got, file.Info(), content, want)
		}
		conformance.Must(t, file.Close())
	}
	if _, err := target.Stat(t.Context(), core.MustPath("left")); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v, want only what was asked for", err)
	}
}

func copiesWhatIsThere(t *testing.T, h Harness) {
	from, to := core.NewID(), core.NewID()
	source, target := Create(t, h, from), Create(t, h, to)
	WriteFile(t, source, "d/a", "1")
	conformance.Must(t, h.Trees.Copy(t.Context(), from, to, []core.ProjectPath{core.MustPath("gone"), core.MustPath("d"), core.MustPath("d/a/b")}))
	for _, name := range []string{"gone", "d/a/b"} {
		if _, err := target.Stat(t.Context(), core.MustPath(name)); !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("%s: got %v, want not_found", name, err)
		}
	}
}

func copiesPart(t *testing.T, h Harness) {
	from, to := core.NewID(), core.NewID()
	source, target := Create(t, h, from), Create(t, h, to)
	WriteFile(t, source, "a", "1")
	WriteFile(t, source, "b", "1")
	conformance.Must(t, h.Trees.Copy(t.Context(), from, to, []core.ProjectPath{core.MustPath("a"), core.MustPath("b")}))
	WriteFile(t, source, "a", "22")
	WriteFile(t, target, "b", "333")
	conformance.Must(t, h.Trees.Remove(t.Context(), from))
	for name, size := range map[string]int64{"a": 1, "b": 3} {
		if info, err := target.Stat(t.Context(), core.MustPath(name)); err != nil || info.Size != size {
			t.Errorf("%s: got %+v, %v, want %d bytes", name, info, err, size)
		}
	}
}

func copiesTrees(t *testing.T, h Harness) {
	project := core.NewID()
	WriteFile(t, Create(t, h, project), "a", "1")
	paths := []core.ProjectPath{core.MustPath("a")}
	for _, other := range []core.ID{core.NewID(), "", "..", "."} {
		if err := h.Trees.Copy(t.Context(), project, other, paths); !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("to %q: got %v, want not_found", other, err)
		}
		if err := h.Trees.Copy(t.Context(), other, project, paths); !core.IsCode(err, core.CodeNotFound) {
			t.Errorf("from %q: got %v, want not_found", other, err)
		}
	}
	empty := core.NewID()
	Create(t, h, empty)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.Trees.Copy(ended, project, empty, paths); err == nil {
		t.Error("an ended context: got nil, want an error")
	}
}
