package prebuilt

import (
	"os"
	"testing"
	"time"

	"github.com/atelierhq/atelier/ports/build"
)

func TestWhatNobodyUsesLeavesTheDisk(t *testing.T) {
	cache, err := openDiskCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	content := []byte("export default 1")
	set := &Set{Files: []build.File{{Path: "a/b.js", Content: content}}, Sums: map[string]string{"a/b.js": sumOf(content)}}
	for _, key := range []string{"old", "young"} {
		if err := cache.write(key, set); err != nil {
			t.Fatal(err)
		}
	}
	age(t, cache.dir+"/old")
	if cache, err = openDiskCache(cache.dir); err != nil {
		t.Fatal(err)
	}
	if _, found := cache.read("old"); found {
		t.Error("old: got it, want it to be gone")
	}
	got, found := cache.read("young")
	if !found || len(got.Files) != 1 || string(got.Files[0].Content) != string(content) {
		t.Errorf("young: got %+v, want it whole", got)
	}
}

// age makes a file look long unused.
func age(t *testing.T, path string) {
	t.Helper()
	then := time.Now().Add(-2 * unusedAfter)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
}
