package nats

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strconv"
	"testing"

	"github.com/atelierhq/atelier/core"
)

const plenty = 1 << 20

// payloads is one of each type of event.
func payloads() []core.Payload {
	return []core.Payload{
		core.UserMessage{Text: "<hi>\n\u2028é", Attachments: []core.Attachment{{Type: "image", ID: "a", MediaType: "image/png", Size: 7}}, By: core.NewID()},
		core.MessageDelta{Delta: " "}, core.ReasoningDelta{Delta: "hm"},
		core.ToolCall{ID: "1", Tool: "edit_file", Args: json.RawMessage(`{"path":"a","n":12345678901234567890}`)},
		core.ToolResult{ID: "1", Result: "ok"}, core.ToolError{ID: "1", Error: "no"},
		core.AssistantMessage{Text: "done"}, core.UsageInfo{InputTokens: 1 << 60, OutputTokens: 2, Cost: 0.1},
		core.CompactionStart{}, core.CompactionComplete{TokensBefore: 9, TokensAfter: 3},
		core.FileChanged{Path: "a/b", Action: core.FileCreated}, core.VersionCreated{VersionID: "abc", FilesChanged: 2},
		core.TaskComplete{Reason: core.ReasonStopped}, core.SessionError{Error: core.CodeInterrupted, Message: "cut off"},
	}
}

// wholeNotice has something in each of its fields.
func wholeNotice(kind core.NoticeKind, payload core.Payload) core.Notice {
	from := core.MustPath("src/old name.tsx")
	entry := core.FileEntry{Path: core.MustPath("src/ü/[id].tsx"), Size: 1 << 40, UpdatedAt: 1_700_000_000_123, ETag: `"5d41"`}
	return core.Notice{
		Kind: kind, ProjectID: core.NewID(), By: core.Author{Kind: core.AuthorUser, Name: "Zoë"},
		Files: []core.FileNotice{
			{Action: core.FileRenamed, Path: entry.Path, From: &from, Entry: &entry},
			{Action: core.FileDeleted, Path: from},
		},
		ChatID: core.NewID(), RunID: core.NewID(), Data: core.DataTest,
		Event: &core.Event{Seq: 1 << 60, CreatedAt: 1_700_000_000_456, Payload: payload},
		Preview: &core.PreviewState{Status: "error", Progress: "half", Diagnostics: []core.Diagnostic{
			{Path: "src/ü.tsx", Line: 3, Column: 9, Message: "Unexpected \"<\""},
		}},
	}
}

func TestNoticesComeBackAsTheyWere(t *testing.T) {
	for _, payload := range payloads() {
		want := wholeNotice(core.NoticeChatEvent, payload)
		for i, value := 0, reflect.ValueOf(want); i < value.NumField(); i++ {
			if value.Field(i).IsZero() {
				t.Fatalf("the notice has nothing in %s: this test does not see whether it travels", value.Type().Field(i).Name)
			}
		}
		encoded, err := encodeNotice(want, plenty)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decodeNotice(want.ProjectID, encoded)
		if err != nil || !reflect.DeepEqual(*got, want) {
			t.Errorf("%s: got %+v, %v, want %+v", payload.EventType(), got, err, want)
		}
	}
}

func TestEveryKindOfNoticeIsUnderstood(t *testing.T) {
	kinds := noticeKinds(t)
	if len(kinds) < 6 {
		t.Fatalf("found the kinds %q, want all of core", kinds)
	}
	for _, kind := range kinds {
		want := wholeNotice(kind, core.TaskComplete{})
		encoded, err := encodeNotice(want, plenty)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := decodeNotice(want.ProjectID, encoded); err != nil || got.Kind != kind {
			t.Errorf("%s: got %+v, %v, want it understood", kind, got, err)
		}
	}
}

// noticeKinds reads the constants of core.NoticeKind.
func noticeKinds(t *testing.T) []core.NoticeKind {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../core/notice.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []core.NoticeKind
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if of, ok := spec.Type.(*ast.Ident); ok && of.Name == "NoticeKind" {
			text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			kinds = append(kinds, core.NoticeKind(text))
		}
		return true
	})
	return kinds
}

func TestANoticeOfTheMostFilesFitsTheDefaultOfServers(t *testing.T) {
	notice := core.Notice{Kind: core.NoticeFiles, ProjectID: core.NewID()}
	for range 500 {
		path := core.MustPath("src/components/some-feature/with/a/rather/deep/folder/AndALongishName.component.tsx")
		notice.Files = append(notice.Files, core.FileNotice{Action: core.FileCreated, Path: path, Entry: &core.FileEntry{Path: path, Size: 1, ETag: `"da39a3ee5e6b4b0d3255bfef95601890afd80709"`}})
	}
	encoded, err := encodeNotice(notice, plenty)
	if err != nil || bytes.Equal(encoded, markerMessage()) {
		t.Errorf("got %d bytes, %v, want the notice itself", len(encoded), err)
	}
}

func TestALimitIsKeptToTheByte(t *testing.T) {
	notice := wholeNotice(core.NoticeFiles, core.TaskComplete{})
	whole, err := encodeNotice(notice, plenty)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := encodeNotice(notice, int64(len(whole))); err != nil || !bytes.Equal(got, whole) {
		t.Errorf("got %s, %v, want the notice: it is exactly as large as it may be", got, err)
	}
	if got, err := encodeNotice(notice, int64(len(whole))-1); err != nil || !bytes.Equal(got, markerMessage()) {
		t.Errorf("got %s, %v, want the marker", got, err)
	}
	if got, err := decodeNotice(notice.ProjectID, markerMessage()); err != nil || got.Kind != core.NoticeLagged || got.ProjectID != notice.ProjectID {
		t.Errorf("got %+v, %v, want a marker", got, err)
	}
}

func FuzzDecodeNotice(f *testing.F) {
	for _, payload := range payloads() {
		if encoded, err := encodeNotice(wholeNotice(core.NoticeChatEvent, payload), plenty); err == nil {
			f.Add(encoded)
		}
	}
	f.Add(markerMessage())
	f.Fuzz(func(t *testing.T, body []byte) {
		project := core.NewID()
		notice, err := decodeNotice(project, body)
		if err != nil {
			return
		}
		again, err := encodeNotice(*notice, 1<<40)
		if err != nil {
			return // Such as arguments of a tool that are no JSON.
		}
		if got, err := decodeNotice(project, again); err != nil || got.Kind != notice.Kind || len(got.Files) != len(notice.Files) {
			t.Errorf("got %+v, %v after another round, want %+v", got, err, notice)
		}
	})
}
