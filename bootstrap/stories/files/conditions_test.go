package files

import (
	"net/http"
	"strings"
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

// TestWritesUnderConditions: a write never overwrites content that its author has not
// seen.
func TestWritesUnderConditions(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.want(w.put("a.txt", "one"), 201)
		first := w.get(w.file("a.txt"))
		tag := first.Header.Get("ETag")
		changed, err := http.ParseTime(first.Header.Get("Last-Modified"))
		must(t, err)
		at := func(d time.Duration) string { return changed.Add(d).Format(http.TimeFormat) }
		for name, refused := range map[string][]string{
			"the tag":                     {"If-None-Match", tag},
			"the tag, weakly":             {"If-None-Match", "W/" + tag},
			"the tag among some":          {"If-None-Match", `"a", ` + tag},
			"any tag":                     {"If-None-Match", "*"},
			"a file that changed since":   {"If-Unmodified-Since", at(-time.Second)},
			"another tag":                 {"If-Match", `"a"`},
			"the tag, where it is strong": {"If-Match", "W/" + tag},
		} {
			for _, method := range []string{"PUT", "DELETE"} {
				if got := w.do(method, w.file("a.txt"), strings.NewReader("two"), refused...); got.StatusCode != 412 || !strings.Contains(got.body, "precondition_failed") {
					t.Errorf("%s unless %s: got %d %s, want 412", method, name, got.StatusCode, got.body)
				}
			}
		}
		w.want(w.do("PUT", w.file("a.txt"), strings.NewReader("two"), "If-Unmodified-Since", at(0), "If-None-Match", `"a"`), 200)
		w.want(w.do("PUT", w.file("a.txt"), strings.NewReader("three"), "If-Unmodified-Since", "yesterday"), 200)
		w.want(w.do("PUT", w.file("new.txt"), strings.NewReader("one"), "If-Unmodified-Since", at(-time.Second)), 201)
		now := w.get(w.file("a.txt")).Header.Get("ETag")
		w.want(w.do("PUT", w.file("a.txt"), strings.NewReader("four"), "If-Match", now, "If-Unmodified-Since", at(-time.Hour)), 200)
	})
}

// TestPartsOfFiles: a range that does not exist is an error like any other, and an
// unknown unit is ignored.
func TestPartsOfFiles(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.want(w.put("a.txt", "hello"), 201)
		for value, want := range map[string]string{"bytes=1-2": "el", "Bytes=1-2": "el", "bytes=-2": "lo"} {
			if got := w.get(w.file("a.txt"), "Range", value); got.StatusCode != 206 || got.body != want {
				t.Errorf("%s: got %d %q, want 206 and %q", value, got.StatusCode, got.body, want)
			}
		}
		for _, value := range []string{"bytes=5-", "bytes=x", "bytes=9-2", "bytes=-"} {
			got := w.get(w.file("a.txt"), "Range", value)
			w.want(got, 416, "invalid_range")
			if got.Header.Get("Content-Type") != "application/json" || got.Header.Get("Content-Range") != "bytes */5" || got.Header.Get("ETag") != "" {
				t.Errorf("%s: got %v, want JSON that says how long the file is", value, got.Header)
			}
		}
		for _, value := range []string{"items=0-1", "garbage", "seconds=1-", "="} {
			if got := w.get(w.file("a.txt"), "Range", value); got.StatusCode != 200 || got.body != "hello" {
				t.Errorf("%s: got %d %q, want the whole file", value, got.StatusCode, got.body)
			}
		}
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
