package files

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
)

func TestAFileIsWrittenReadAndDeleted(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		made := w.put("src/deep/app.js", "run()", "Content-Type", "text/plain")
		w.want(made, 201)
		var entry core.FileEntry
		made.into(t, &entry)
		if entry.Path.String() != "src/deep/app.js" || entry.Size != 5 || entry.ETag != files.ETag([]byte("run()")) || made.Header.Get("ETag") != entry.ETag {
			t.Errorf("got the entry %s and ETag %s", made.body, made.Header.Get("ETag"))
		}
		w.want(w.put("src/deep/app.js", "run(1)", "Content-Type", "application/json"), 200)
		w.want(w.do("PUT", w.file("none.bin"), strings.NewReader("\x00\xff")), 201)

		got := w.get(w.file("src/deep/app.js"))
		w.want(got, 200)
		for name, want := range map[string]string{
			"Content-Type": "text/javascript; charset=utf-8", "ETag": files.ETag([]byte("run(1)")), "X-Content-Type-Options": "nosniff",
			"Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'", "Cache-Control": "private, no-cache",
			"Content-Length": "6", "Accept-Ranges": "bytes", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got.Header.Get(name) != want {
				t.Errorf("%s: got %q, want %q", name, got.Header.Get(name), want)
			}
		}
		if got.body != "run(1)" || got.Header.Get("Last-Modified") == "" {
			t.Errorf("got %q of %q", got.body, got.Header.Get("Last-Modified"))
		}
		if kind := w.get(w.file("none.bin")).Header.Get("Content-Type"); kind != "application/octet-stream" {
			t.Errorf("an unknown extension: got %q", kind)
		}
		head := w.do("HEAD", w.file("src/deep/app.js"), nil)
		if head.StatusCode != 200 || head.body != "" || head.ContentLength != 6 {
			t.Errorf("HEAD: got %d, %d bytes of %d", head.StatusCode, len(head.body), head.ContentLength)
		}

		w.want(w.do("DELETE", w.file("src/deep/app.js"), nil), 204)
		w.want(w.get(w.file("src/deep/app.js")), 404, "not_found")
		w.want(w.do("DELETE", w.file("src/deep/app.js"), nil), 404, "not_found")
		w.want(w.put("src/deep/x", ""), 201)
		w.want(w.do("DELETE", w.file("src"), nil), 204)
		if slices.ContainsFunc(w.list(), func(path string) bool { return strings.HasPrefix(path, "src") }) {
			t.Errorf("got %q, want nothing below src", w.list())
		}
	})
}

func TestADirectoryInTheWayIsAConflict(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.want(w.put("a/b", "1"), 201)
		w.want(w.put("a", "1"), 409, "conflict")
		w.want(w.put("a/b/c", "1"), 409, "conflict")
		w.want(w.get(w.file("a")), 404, "not_found")
	})
}

func TestConditionsOfReadsAndWrites(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.want(w.put("a.txt", "one", "If-None-Match", "*"), 201)
		w.want(w.put("a.txt", "two", "If-None-Match", "*"), 412, "precondition_failed")
		tag := files.ETag([]byte("one"))
		w.want(w.put("a.txt", "two", "If-Match", `"other"`), 412, "precondition_failed")
		w.want(w.put("b.txt", "two", "If-Match", "*"), 412, "precondition_failed")
		w.want(w.put("a.txt", "two", "If-Match", `nonsense`), 400, "invalid_request")
		w.want(w.put("a.txt", "two", "If-Match", `"x", `+tag), 200)
		w.want(w.put("a.txt", "three", "If-Match", tag), 412, "precondition_failed")
		w.want(w.do("DELETE", w.file("a.txt"), nil, "If-Match", tag), 412, "precondition_failed")

		tag = files.ETag([]byte("two"))
		w.want(w.get(w.file("a.txt"), "If-None-Match", tag), 304)
		w.want(w.get(w.file("a.txt"), "If-None-Match", `"other"`), 200)
		w.want(w.get(w.file("a.txt"), "If-Match", `"other"`), 412, "precondition_failed")
		part := w.get(w.file("a.txt"), "Range", "bytes=1-")
		w.want(part, 206)
		if part.body != "wo" || part.Header.Get("Content-Range") != "bytes 1-2/3" {
			t.Errorf("got %q, %q", part.body, part.Header.Get("Content-Range"))
		}
		w.want(w.get(w.file("a.txt"), "Range", "bytes=9-"), 416)
		w.want(w.do("PUT", w.file("a.txt"), strings.NewReader("x"), "Content-Encoding", "gzip"), 415, "unsupported_media_type")
		w.want(w.do("PUT", w.file("a.txt"), strings.NewReader("x"), "Content-Range", "bytes 0-0/3"), 415, "unsupported_media_type")
		if got := w.get(w.file("a.txt")).body; got != "two" {
			t.Errorf("got %q, want what the last good write left", got)
		}
	})
}

func TestFilesNamedLikeRoutes(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, name := range []string{"search", "bulk"} {
			w.want(w.put(name, "a file"), 201)
			if got := w.get(w.file(name)); got.body != "a file" {
				t.Errorf("%s: got %d %q, want the file", name, got.StatusCode, got.body)
			}
		}
		found := w.get(w.file("search?q=file"))
		w.want(found, 200)
		if !strings.Contains(found.body, `"truncated":false`) || !strings.Contains(found.body, `"path":"bulk"`) {
			t.Errorf("got %s, want a search", found.body)
		}
		w.want(w.do("DELETE", w.file("search"), nil), 204)
		w.want(w.do("DELETE", w.file("bulk"), nil), 204)
		w.want(w.do("POST", w.file("other"), strings.NewReader("{}")), 405, "method_not_allowed")
		w.want(w.get(w.file("")), 404, "not_found")
		w.want(w.do("PUT", w.file(""), strings.NewReader("x")), 404, "not_found")
	})
}

func TestSearchHoldsItsQueryToTheContract(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.want(w.put("a.txt", "needle\nneedle\n"), 201)
		w.want(w.get(w.file("search?q=")), 400, "validation_failed")
		w.want(w.get(w.file("search?q=%28")), 400, "invalid_regex")
		w.want(w.get(w.file("search?q=a&q=b")), 400, "invalid_request")
		for _, bad := range []string{"0", "-1", "x", "1.5", ""} {
			w.want(w.get(w.file("search?q=needle&maxResults="+bad)), 400, "invalid_request")
		}
		one := w.get(w.file("search?q=needle&maxResults=1"))
		w.want(one, 200)
		var found struct {
			Matches   []core.Match
			Truncated bool
		}
		one.into(t, &found)
		want := core.Match{Path: core.MustPath("a.txt"), Line: 1, Column: 1, Text: "needle"}
		if len(found.Matches) != 1 || found.Matches[0] != want || !found.Truncated {
			t.Errorf("got %+v, want the first of two", found)
		}
		w.want(w.get(w.file("search?q=needle&maxResults=5000")), 200)
		if none := w.get(w.file("search?q=nothing-of-that")); none.body != `{"matches":[],"truncated":false}`+"\n" {
			t.Errorf("got %s, want an empty list", none.body)
		}
	})
}

func TestListingsAreConditional(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, target := range []string{"/projects/" + w.project + "/files", "/projects/" + w.project + "/files?tree=1"} {
			first := w.get(target)
			w.want(first, 200)
			if first.Header.Get("Content-Type") != "application/json" || first.Header.Get("Cache-Control") != "private, no-cache" {
				t.Errorf("got the headers %v", first.Header)
			}
			w.want(w.get(target, "If-None-Match", first.Header.Get("ETag")), 304)
			w.want(w.put("new"+fmt.Sprint(len(target)), "1"), 201)
			w.want(w.get(target, "If-None-Match", first.Header.Get("ETag")), 200)
		}
		w.want(w.get("/projects/"+w.project+"/files?tree=maybe"), 400, "invalid_request")
		if got := w.get("/projects/" + w.project + "/files?tree=1"); !strings.HasPrefix(got.body, `{"name":"","path":"","type":"directory","children":[`) {
			t.Errorf("got %.200s, want a tree", got.body)
		}
	})
}

func TestNoPageOfAProjectRunsOnTheAPIsOrigin(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.want(w.put("x.html", "<script>1</script>"), 201)
		w.want(w.get(w.file("x.html"), "Service-Worker", "script"), 403, "forbidden")
		for _, destination := range []string{"script", "style", "iframe", "embed", "object", "worker"} {
			w.want(w.get(w.file("x.html"), "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Dest", destination), 403, "forbidden")
			w.want(w.get(w.file("x.html"), "Sec-Fetch-Site", "same-site", "Sec-Fetch-Dest", destination), 403, "forbidden")
		}
		w.want(w.get(w.file("x.html"), "Sec-Fetch-Site", "same-origin", "Sec-Fetch-Dest", "iframe"), 200)
		w.want(w.get(w.file("x.html"), "Sec-Fetch-Site", "none", "Sec-Fetch-Dest", "document"), 200)
	})
}

func TestABodyOverTheLimitIsCutWhileItStreams(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.want(w.do("PUT", w.file("exact"), bodyOf(fileLimit)), 201)
		w.want(w.do("PUT", w.file("over"), bodyOf(fileLimit+1)), 413, "payload_too_large")
		endless := &endlessBody{}
		sent := w.do("PUT", w.file("endless"), endless, "Connection", "close")
		w.want(sent, 413, "payload_too_large")
		if read := endless.read.Load(); read > 16*fileLimit {
			t.Errorf("%d bytes were taken of an endless body, want little more than %d", read, fileLimit)
		}
		if slices.Contains(w.list(), "over") || slices.Contains(w.list(), "endless") {
			t.Errorf("got %q, want no file of a body that was refused", w.list())
		}
	})
}

// endlessBody is an endless body that counts what was read of it.
type endlessBody struct{ read atomic.Int64 }

func (b *endlessBody) Read(p []byte) (int, error) {
	if b.read.Add(int64(len(p))) > 1<<30 {
		return 0, io.ErrUnexpectedEOF
	}
	return len(p), nil
}

func TestABodyThatBreaksOffWritesNothing(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.want(w.put("a.txt", "whole"), 201)
		conn, err := net.Dial("tcp", w.server.Listener.Addr().String())
		must(t, err)
		_, err = fmt.Fprintf(conn, "PUT %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: 100\r\n\r\nhalf", w.file("a.txt"), w.token)
		must(t, err)
		must(t, conn.(*net.TCPConn).CloseWrite())
		_, _ = io.ReadAll(conn)
		must(t, conn.Close())
		if got := w.get(w.file("a.txt")).body; got != "whole" {
			t.Errorf("got %q, want the old content", got)
		}
	})
}

func TestWritersOfOneFileLoseNoAcknowledgedUpdate(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.want(w.put("count", ""), 201)
		const writers, each = 8, 5
		var group sync.WaitGroup
		for range writers {
			group.Go(func() {
				for done, tries := 0, 0; done < each && tries < 2000; tries++ {
					old := w.get(w.file("count"))
					got := w.put("count", old.body+"x", "If-Match", old.Header.Get("ETag"))
					switch got.StatusCode {
					case http.StatusOK:
						done++
					case http.StatusPreconditionFailed:
					default:
						t.Errorf("got %d %s", got.StatusCode, got.body)
						return
					}
				}
			})
		}
		group.Wait()
		if got := len(w.get(w.file("count")).body); got != writers*each {
			t.Errorf("got %d updates, want the %d that were acknowledged", got, writers*each)
		}
	})
}

func TestReadersWhoAreNoMembers(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		owner := w.token
		w.want(w.put("a.txt", "1"), 201)
		project := w.project
		w.signUp("eve@example.com")
		w.project = project
		calls := func(read, write int) {
			t.Helper()
			w.want(w.get("/projects/"+project+"/files"), read)
			w.want(w.get(w.file("a.txt")), read)
			w.want(w.get(w.file("search?q=1")), read)
			w.want(w.put("a.txt", "2"), write)
			w.want(w.do("DELETE", w.file("a.txt"), nil), write)
			w.want(w.bulk(`{"operations":[{"op":"delete","path":"a.txt"}]}`), write)
		}
		calls(404, 404)
		stranger := w.token
		w.token = owner
		w.want(w.json("PATCH", "/projects/"+project, `{"visibility":"public"}`), 200)
		w.token = stranger
		calls(200, 403)
		w.token = ""
		calls(401, 401)
	})
}

func TestOnlyOneOfManyCreatorsWins(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		var group sync.WaitGroup
		var mu sync.Mutex
		statuses := map[int]int{}
		for i := range 8 {
			group.Go(func() {
				got := w.put("once", fmt.Sprint(i), "If-None-Match", "*")
				mu.Lock()
				defer mu.Unlock()
				statuses[got.StatusCode]++
			})
		}
		group.Wait()
		if statuses[201] != 1 || statuses[412] != 7 {
			t.Errorf("got the statuses %v, want one 201 and seven 412", statuses)
		}
	})
}

func TestLastModifiedIsWhenTheFileWasWritten(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.want(w.put("a.txt", "1"), 201)
		modified, err := http.ParseTime(w.get(w.file("a.txt")).Header.Get("Last-Modified"))
		must(t, err)
		if age := time.Since(modified); age < -time.Second || age > time.Minute {
			t.Errorf("got %v ago, want now", age)
		}
	})
}
