package yjs

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// trace is what the real Yjs made of a history, see testdata/peer/traces.mjs.
type trace struct {
	Texts         map[string]string
	Vector, State []byte
	Updates       [][]byte
}

func traces(t testing.TB) map[string]trace {
	t.Helper()
	names, err := filepath.Glob(filepath.Join("testdata", "traces", "*.json"))
	if err != nil || len(names) == 0 {
		t.Fatalf("no traces: %v", err)
	}
	all := map[string]trace{}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var read trace
		if err := json.Unmarshal(content, &read); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		maps.DeleteFunc(read.Texts, func(path, _ string) bool { return path == "../bad" })
		all[filepath.Base(name)] = read
	}
	return all
}

func TestTraces(t *testing.T) {
	for name, want := range traces(t) {
		t.Run(name, func(t *testing.T) {
			d := opened(t, nil)
			heard := opened(t, nil)
			for _, update := range want.Updates {
				change, err := d.Apply(update)
				if err != nil {
					t.Fatalf("apply: %v", err)
				}
				check(t, d)
				if change.Update != nil {
					apply(t, heard, change.Update)
				}
			}
			want.compare(t, "in order", d)
			if got := encoded(t, d, nil); !slices.Equal(got, want.State) {
				t.Errorf("state: got %x, want the very bytes of Yjs, %x", got, want.State)
			}
			want.compare(t, "by the changes alone", heard)
			want.compare(t, "from our state", opened(t, encoded(t, d, nil)))
			want.compare(t, "from Yjs's state", opened(t, want.State))

			backwards := opened(t, nil)
			for _, update := range slices.Backward(want.Updates) {
				apply(t, backwards, update)
				apply(t, backwards, update)
				check(t, backwards)
			}
			want.compare(t, "backwards", backwards)
		})
	}
}

func (want trace) compare(t *testing.T, how string, d *Document) {
	t.Helper()
	got := map[string]string{}
	for _, path := range d.Paths() {
		got[path.String()], _ = d.Text(path)
	}
	if !maps.Equal(got, want.Texts) {
		t.Errorf("%s: got %q, want %q", how, got, want.Texts)
	}
	if vector := d.StateVector(); !slices.Equal(vector, want.Vector) {
		t.Errorf("%s: state vector: got %x, want %x", how, vector, want.Vector)
	}
	if pending := d.Stats().Pending; pending != 0 {
		t.Errorf("%s: got %d parts that wait, want none", how, pending)
	}
}

func opened(t testing.TB, state []byte) *Document {
	t.Helper()
	d, err := Maker{}.Open(state)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	check(t, d)
	return d.(*Document)
}

func apply(t testing.TB, d *Document, update []byte) {
	t.Helper()
	if _, err := d.Apply(update); err != nil {
		t.Fatalf("apply: %v", err)
	}
}

func encoded(t testing.TB, d *Document, since []byte) []byte {
	t.Helper()
	update, err := d.Encode(since)
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	return update
}
