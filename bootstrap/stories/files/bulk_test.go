package files

import (
	"fmt"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
)

func TestABulkIsOneVersion(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.want(w.put("old.txt", "1"), 201)
		w.want(w.put("gone/a", "1"), 201)
		got := w.bulk(`{"message":"Three things","operations":[
			{"op":"write","path":"new.txt","content":"é"},
			{"op":"write","path":"bin","content":"AAH/","encoding":"base64"},
			{"op":"rename","from":"old.txt","to":"renamed.txt"},
			{"op":"delete","path":"none"},
			{"op":"write","path":"gone","content":"a directory is in the way"},
			{"op":"delete","path":"gone"}]}`)
		w.want(got, 200)
		var answer struct {
			Results []struct{ Op, Path, Status, Error, Message string }
			Commit  string
		}
		got.into(t, &answer)
		want := []string{"write new.txt ok ", "write bin ok ", "rename renamed.txt ok ", "delete none error not_found", "write gone error conflict", "delete gone ok "}
		for i, result := range answer.Results {
			if text := fmt.Sprintf("%s %s %s %s", result.Op, result.Path, result.Status, result.Error); text != want[i] {
				t.Errorf("operation %d: got %q, want %q", i, text, want[i])
			}
		}
		if w.get(w.file("new.txt")).body != "é" || w.get(w.file("bin")).body != "\x00\x01\xff" || w.get(w.file("renamed.txt")).body != "1" {
			t.Error("a file does not hold what the bulk wrote")
		}
		versions := w.get("/projects/" + w.project + "/versions")
		w.want(versions, 200)
		var page struct {
			Items      []core.Version
			NextCursor *string
		}
		versions.into(t, &page)
		if len(page.Items) != 2 || page.Items[0].ID != answer.Commit || page.Items[0].Message != "Three things" ||
			page.Items[0].Author != (core.Author{Kind: core.AuthorUser, Name: "ann"}) || page.NextCursor != nil {
			t.Errorf("got %s, want the bulk's version on top of the first", versions.body)
		}
		nothing := w.bulk(`{"operations":[{"op":"write","path":"new.txt","content":"é"}]}`)
		w.want(nothing, 200)
		if !strings.Contains(nothing.body, `"commit":null`) {
			t.Errorf("got %s, want no commit when nothing changed", nothing.body)
		}
	})
}

func TestABulkLeavesFilesThatSomebodyElseHasChanged(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.want(w.put("mine.txt", "1"), 201)
		w.want(w.put("theirs.txt", "1"), 201)
		tag := w.get(w.file("theirs.txt")).Header.Get("ETag")
		w.want(w.put("theirs.txt", "2"), 200)
		got := w.bulk(fmt.Sprintf(`{"operations":[
			{"op":"write","path":"mine.txt","content":"3","ifMatch":%[1]q},
			{"op":"write","path":"theirs.txt","content":"3","ifMatch":%[1]q}]}`, tag))
		w.want(got, 200)
		var answer struct {
			Results []struct{ Status, Error string }
			Commit  string
		}
		got.into(t, &answer)
		if answer.Commit == "" || answer.Results[0].Status != "ok" || answer.Results[1].Error != "precondition_failed" {
			t.Errorf("got %s, want a version of the first file alone", got.body)
		}
		if mine, theirs := w.get(w.file("mine.txt")).body, w.get(w.file("theirs.txt")).body; mine != "3" || theirs != "2" {
			t.Errorf("got %q and %q, want the changed file as it was", mine, theirs)
		}
	})
}

func TestHostileBulksAreRefusedWhole(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		before := fmt.Sprint(w.list())
		good := `{"op":"write","path":"done","content":"1"}`
		many := strings.TrimSuffix(strings.Repeat(good+",", 501), ",")
		for _, c := range []struct{ body, code string }{
			{``, "invalid_request"},
			{`null`, "invalid_request"},
			{`[]`, "invalid_request"},
			{`{}`, "invalid_request"},
			{`{"operations":null}`, "invalid_request"},
			{`{"operations":{}}`, "invalid_request"},
			{`{"operations":"x"}`, "invalid_request"},
			{`{"operations":[null]}`, "invalid_request"},
			{`{"operations":[[]]}`, "invalid_request"},
			{`{"operations":[1]}`, "invalid_request"},
			{`{"operations":[` + good + `]} x`, "invalid_request"},
			{`{"operations":[` + good + `]`, "invalid_request"},
			{`{"operations":[` + good + `],"operations":[]}`, "invalid_request"},
			{`{"operations":[` + good + `],"extra":1}`, "invalid_request"},
			{`{"Operations":[` + good + `]}`, "invalid_request"},
			{`{"operations":[` + good + `],"message":7}`, "invalid_request"},
			{`{"operations":[` + good + `,{"op":"write","path":"a","content":7}]}`, "invalid_request"},
			{`{"operations":[` + good + `,{"op":"write","path":"a","content":"x","ifMatch":7}]}`, "invalid_request"},
			{`{"operations":[` + good + `,{"op":"write","path":"a","content":"x","ifMatch":""}]}`, "validation_failed"},
			{`{"operations":[` + good + `,{"op":"delete","path":"a","ifMatch":"*"}]}`, "invalid_request"},
			{`{"operations":[` + good + `,{"op":"write","path":["a"],"content":"x"}]}`, "invalid_request"},
			{`{"operations":[` + good + `,{"op":"write","path":"a","content":"x","mode":"0777"}]}`, "invalid_request"},
			{`{"operations":[` + good + `,{"op":"write","path":"a","path":"b","content":"x"}]}`, "invalid_request"},
			{`{"operations":[` + good + `,{"op":"WRITE","path":"a","content":"x"}]}`, "invalid_request"},
			{`{"operations":[` + good + `,{"op":"symlink","path":"a","to":"/etc"}]}`, "invalid_request"},
			{`{"operations":[` + good + `,{"path":"a","content":"x"}]}`, "invalid_request"},
			{"{\"operations\":[" + good + ",{\"op\":\"write\",\"path\":\"a\",\"content\":\"\xff\"}]}", "invalid_request"},
			{`{"operations":[` + good + `,{"op":"write","path":"a","content":"\ud800"}]}`, "invalid_request"},
			{`{"operations":[` + good + `,{"op":"write","path":"a","content":"!","encoding":"base64"}]}`, "invalid_request"},
			{`{"operations":[` + good + `,{"op":"write","path":"a","content":"x","encoding":"latin1"}]}`, "validation_failed"},
			{`{"operations":[` + many + `]}`, "validation_failed"},
			{`{"operations":` + strings.Repeat("[", 10000) + strings.Repeat("]", 10000) + `}`, "invalid_request"},
		} {
			got := w.bulk(c.body)
			if got.StatusCode != 400 || got.text("error") != c.code {
				t.Errorf("%.120q: got %d %.200s, want 400 %s", c.body, got.StatusCode, got.body, c.code)
			}
		}
		w.want(w.bulk(`{"operations":[`+good+`,{"op":"write","path":"a","content":"`+strings.Repeat("x", fileLimit+1)+`"}]}`), 413, "payload_too_large")
		w.want(w.do("POST", w.file("bulk"), strings.NewReader(`{"operations":[]}`), "Content-Type", "text/plain"), 415, "unsupported_media_type")
		if after := fmt.Sprint(w.list()); after != before {
			t.Errorf("got the files %s, want those before: %s", after, before)
		}
	})
}

func TestABulkMayBeLargerThanOtherJSON(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		var operations []string
		for i := range 500 {
			operations = append(operations, fmt.Sprintf(`{"op":"write","path":"many/%d","content":"%s"}`, i, strings.Repeat("x", 8<<10)))
		}
		w.want(w.bulk(`{"operations":[`+strings.Join(operations, ",")+`]}`), 200)
		if got := len(w.list()); got != 502 {
			t.Errorf("got %d files, want 500 more", got)
		}
	})
}
