package filetests

import (
	"net/http"
	"testing"
	"time"
)

// TestReadsUnderConditionsOfTime: what is refused has the body of every error.
func TestReadsUnderConditionsOfTime(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.want(w.put("a.txt", "one"), 201)
		first := w.get(w.file("a.txt"))
		changed, err := http.ParseTime(first.Header.Get("Last-Modified"))
		must(t, err)
		at := func(d time.Duration) string { return changed.Add(d).Format(http.TimeFormat) }
		w.want(w.get(w.file("a.txt"), "If-Unmodified-Since", at(0)), 200)
		w.want(w.get(w.file("a.txt"), "If-Unmodified-Since", "yesterday"), 200)
		w.want(w.get(w.file("a.txt"), "If-Unmodified-Since", at(-time.Second)), 412, "precondition_failed")
		w.want(w.get(w.file("a.txt"), "If-Unmodified-Since", at(-time.Second), "If-Match", first.Header.Get("ETag")), 200)
		w.want(w.get(w.file("a.txt"), "If-Match", `"other"`, "If-Match", first.Header.Get("ETag")), 200)
		w.want(w.get(w.file("a.txt"), "If-Modified-Since", at(0)), 304)
	})
}

// TestAListIsWholeOrUnchanged: parts of a list mean nothing.
func TestAListIsWholeOrUnchanged(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.want(w.put("a.txt", "one"), 201)
		list := "/projects/" + w.project + "/files"
		for _, target := range []string{list, list + "?tree=1"} {
			first := w.get(target)
			w.want(first, 200)
			tag := first.Header.Get("ETag")
			w.want(w.get(target, "If-None-Match", tag), 304)
			w.want(w.get(target, "If-None-Match", "W/"+tag), 304)
			for name, value := range map[string]string{"If-None-Match": `"other"`, "Range": "bytes=0-1", "If-Match": `"other"`} {
				if got := w.get(target, name, value); got.StatusCode != 200 || got.body != first.body {
					t.Errorf("%s with %s: got %d %.100s, want all of it", target, name, got.StatusCode, got.body)
				}
			}
		}
		w.want(w.put("a.txt", "two"), 200)
		if again := w.get(list, "If-None-Match", w.get(list).Header.Get("ETag")); again.StatusCode != 304 || again.body != "" {
			t.Errorf("got %d %q, want 304 for the new list", again.StatusCode, again.body)
		}
	})
}
