package files_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/ports/search"
)

// text is a content that has already been received.
func text(content string) files.Content {
	return func() ([]byte, error) { return []byte(content), nil }
}

// TestAWriteOfSomebodyWhoLeftWhileItCameIsRefused takes the writer out of the
// workspace while the content arrives, which can take minutes.
func TestAWriteOfSomebodyWhoLeftWhileItCameIsRefused(t *testing.T) {
	f := newFixture(t)
	_, err := f.service.Write(f.ctx, f.member, f.at("late.txt"), func() ([]byte, error) {
		project, err := f.deps.Store.Tables().Projects.ByID(f.ctx, f.project)
		f.must(err)
		f.must(f.deps.Store.Tables().Members.Remove(f.ctx, project.WorkspaceID, f.member.UserID))
		return []byte("x"), nil
	}, nil)
	f.wantCode(err, core.CodeNotFound)
}

func TestServiceAsksTheGateFirst(t *testing.T) {
	f := newFixture(t)
	viewer := f.addUser("bob@example.com", "Bob")
	readOnly := f.member
	readOnly.Token, readOnly.Scopes = true, []core.Scope{core.ScopeFilesRead}
	calls := map[string]func(by core.Actor) error{
		"list": func(by core.Actor) error { _, err := f.service.List(f.ctx, by, f.project); return err },
		"read": func(by core.Actor) error { _, err := f.service.Read(f.ctx, by, f.at("README.md")); return err },
		"search": func(by core.Actor) error {
			_, err := f.service.Search(f.ctx, by, f.project, search.Query{Pattern: "x", Limit: 1})
			return err
		},
		"write": func(by core.Actor) error {
			content := func() ([]byte, error) {
				t.Error("content was received from somebody who may not send it")
				return nil, nil
			}
			if by.UserID == f.member.UserID && !by.Token {
				content = text("hello")
			}
			_, err := f.service.Write(f.ctx, by, f.at("README.md"), content, nil)
			return err
		},
		"delete": func(by core.Actor) error { return f.service.Delete(f.ctx, by, f.at("none"), nil) },
		"bulk": func(by core.Actor) error {
			_, err := f.service.Bulk(f.ctx, by, f.project, files.Batch{Operations: []files.Operation{}})
			return err
		},
	}
	for name, call := range calls {
		f.setVisibility(core.VisibilityWorkspace)
		f.wantCode(call(f.stranger), core.CodeNotFound)
		reads := name == "list" || name == "read" || name == "search"
		if got := core.CodeOf(call(readOnly)); (got == core.CodeInsufficientScope) == reads {
			t.Errorf("%s with a reader's token: got %q", name, got)
		}
		f.setVisibility(core.VisibilityPublic)
		if got := core.CodeOf(call(viewer)); reads && got != "" || !reads && got != core.CodeForbidden {
			t.Errorf("%s of a public project by a stranger: got %q", name, got)
		}
		if got := core.CodeOf(call(f.member)); got != "" && name != "delete" {
			t.Errorf("%s by a member: got %q", name, got)
		}
	}
}

func (f *fixture) setVisibility(visibility core.Visibility) {
	f.t.Helper()
	_, err := f.deps.Store.Tables().Projects.Update(f.ctx, f.project, func(p *core.Project) error {
		p.Visibility = visibility
		return nil
	})
	f.must(err)
}

func TestWriteSaysWhetherTheFileIsNew(t *testing.T) {
	f := newFixture(t)
	first, err := f.service.Write(f.ctx, f.member, f.at("new"), text("1"), nil)
	f.must(err)
	second, err := f.service.Write(f.ctx, f.member, f.at("new"), text("2"), nil)
	f.must(err)
	if !first.Created || second.Created || second.Entry.ETag != files.ETag([]byte("2")) {
		t.Errorf("got %+v and %+v, want a new file, then the same", first, second)
	}
}

func TestWriteRefusesWhatIsTooLarge(t *testing.T) {
	f := newFixture(t)
	_, err := f.service.Write(f.ctx, f.member, f.at("new"), text(strings.Repeat("x", fixtureLimit+1)), nil)
	f.wantCode(err, core.CodePayloadTooLarge)
	_, err = f.service.Write(f.ctx, f.member, f.at("new"), text(strings.Repeat("x", fixtureLimit)), nil)
	f.must(err)
	broken := errors.New("broken off")
	_, err = f.service.Write(f.ctx, f.member, f.at("new"), func() ([]byte, error) { return nil, broken }, nil)
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want the content's own error", err)
	}
}

func TestDeleteOfWhatIsNotThere(t *testing.T) {
	f := newFixture(t)
	f.wantCode(f.service.Delete(f.ctx, f.member, f.at("none"), nil), core.CodeNotFound)
	f.wantCode(f.service.Delete(f.ctx, f.member, f.at("README.md"), files.IfMatch(`"x"`)), core.CodePreconditionFailed)
	f.must(f.service.Delete(f.ctx, f.member, f.at("src"), nil))
	f.wantPaths("README.md")
}

func TestSearchBoundsItsQuery(t *testing.T) {
	f := newFixture(t)
	ask := func(pattern string, limit int) (search.Found, error) {
		return f.service.Search(f.ctx, f.member, f.project, search.Query{Pattern: pattern, Limit: limit})
	}
	_, err := ask("", 1)
	f.wantCode(err, core.CodeValidationFailed)
	_, err = ask("x", 0)
	f.wantCode(err, core.CodeValidationFailed)
	found, err := ask("hello", 5000)
	f.must(err)
	if len(found.Matches) != 1 || found.Matches[0].Line != search.MaxLimit {
		t.Errorf("got %+v, want one match, searched with the limit %d", found, search.MaxLimit)
	}
}

func TestAuthorOfAPerson(t *testing.T) {
	name, empty := "Ann Lee", ""
	tests := map[string]*string{"Ann Lee": &name, "ann": nil, "ann ": &empty}
	for want, displayName := range tests {
		got := files.AuthorOf(core.User{Email: "ann@example.com", DisplayName: displayName})
		if got.Name != strings.TrimSpace(want) || got.Kind != core.AuthorUser {
			t.Errorf("got %+v, want %q", got, want)
		}
	}
}

func ptr(text string) *string { return &text }

func bulkWrite(path, content string) files.Operation {
	return files.Operation{Op: core.OpWrite, Path: &path, Content: &content}
}

func TestBulkIsOneVersion(t *testing.T) {
	f := newFixture(t)
	answer, err := f.service.Bulk(f.ctx, f.member, f.project, files.Batch{Message: ptr(" Three things "), Operations: []files.Operation{
		{Op: core.OpWrite, Path: ptr("bin"), Content: ptr("AAH/"), Encoding: ptr("base64")},
		{Op: core.OpRename, From: ptr("README.md"), To: ptr("docs/README.md")},
		{Op: core.OpDelete, Path: ptr("none")},
		{Op: core.OpDelete, Path: ptr("src")},
	}})
	f.must(err)
	want := []string{"write bin ok ", "rename docs/README.md ok ", "delete none error not_found", "delete src ok "}
	for i, result := range answer.Results {
		if got := fmt.Sprintf("%s %s %s %s", result.Op, result.Path, result.Status, result.Error); got != want[i] {
			t.Errorf("operation %d: got %q, want %q", i, got, want[i])
		}
	}
	f.wantPaths("bin", "docs/README.md")
	if got := f.read("bin"); got != "\x00\x01\xff" {
		t.Errorf("got %q, want the bytes", got)
	}
	versions, err := f.pipeline.Versions(f.ctx, f.project, "", 10)
	f.must(err)
	if len(versions) != 2 || versions[0].Message != "Three things" || versions[0].Author.Name != "Ann" || answer.Commit == nil || *answer.Commit != versions[0].ID {
		t.Errorf("got the versions %+v and the commit %v, want one more", versions, answer.Commit)
	}
}

func TestBulkLeavesFilesThatHaveChanged(t *testing.T) {
	f := newFixture(t)
	guarded := func(path, content, tag string) files.Operation {
		operation := bulkWrite(path, content)
		operation.IfMatch = &tag
		return operation
	}
	operations := []files.Operation{
		guarded("src/main.js", "stale", `"0"`),
		guarded("README.md", "fresh", files.ETag([]byte("hello"))),
		guarded("none", "", "*"),
		bulkWrite("new", "1"),
		// The condition is about the file before the batch.
		guarded("README.md", "fresher", files.ETag([]byte("hello"))),
	}
	before := f.read("src/main.js")
	answer, err := f.service.Bulk(f.ctx, f.member, f.project, files.Batch{Operations: operations})
	f.must(err)
	want := []core.Code{core.CodePreconditionFailed, "", core.CodePreconditionFailed, "", ""}
	for i, result := range answer.Results {
		if result.Error != want[i] {
			t.Errorf("operation %d: got %q, want %q", i, result.Error, want[i])
		}
	}
	f.wantPaths("README.md", "new", "src/main.js")
	if got := f.read("src/main.js"); got != before || answer.Commit == nil {
		t.Errorf("got %q and the commit %v, want %q untouched by the version", got, answer.Commit, before)
	}
	if got := f.read("README.md"); got != "fresher" {
		t.Errorf("got %q, want what was written last", got)
	}
	answer, err = f.service.Bulk(f.ctx, f.member, f.project, files.Batch{Operations: operations[:1]})
	f.must(err)
	if answer.Commit != nil || answer.Results[0].Error != core.CodePreconditionFailed {
		t.Errorf("got %+v, want no version of a batch that is left out", answer)
	}
}

func TestBulkThatChangesNothingHasNoCommit(t *testing.T) {
	f := newFixture(t)
	batches := map[string][]files.Operation{
		"no operation":     {},
		"the same content": {bulkWrite("README.md", "hello")},
		"only failures":    {{Op: core.OpDelete, Path: ptr("none")}},
	}
	for name, operations := range batches {
		answer, err := f.service.Bulk(f.ctx, f.member, f.project, files.Batch{Operations: operations})
		f.must(err)
		if answer.Commit != nil || len(answer.Results) != len(operations) {
			t.Errorf("%s: got %+v, want no commit", name, answer)
		}
	}
}

func TestBulkRefusesTheWholeBatchForOneBadOperation(t *testing.T) {
	f := newFixture(t)
	many := make([]files.Operation, files.MaxOperations)
	for i := range many {
		many[i] = bulkWrite("a", "")
	}
	tests := []struct {
		name string
		bad  files.Operation
		want core.Code
	}{
		{"unknown op", files.Operation{Op: "copy", Path: ptr("a")}, core.CodeInvalidRequest},
		{"no op", files.Operation{Path: ptr("a")}, core.CodeInvalidRequest},
		{"write without content", files.Operation{Op: core.OpWrite, Path: ptr("a")}, core.CodeInvalidRequest},
		{"write without path", files.Operation{Op: core.OpWrite, Content: ptr("a")}, core.CodeInvalidRequest},
		{"write with from", files.Operation{Op: core.OpWrite, Path: ptr("a"), Content: ptr("a"), From: ptr("b")}, core.CodeInvalidRequest},
		{"unknown encoding", files.Operation{Op: core.OpWrite, Path: ptr("a"), Content: ptr("a"), Encoding: ptr("utf16")}, core.CodeValidationFailed},
		{"broken base64", files.Operation{Op: core.OpWrite, Path: ptr("a"), Content: ptr("AAH"), Encoding: ptr("base64")}, core.CodeInvalidRequest},
		{"rename without to", files.Operation{Op: core.OpRename, From: ptr("a")}, core.CodeInvalidRequest},
		{"rename with path", files.Operation{Op: core.OpRename, From: ptr("a"), To: ptr("b"), Path: ptr("c")}, core.CodeInvalidRequest},
		{"delete with content", files.Operation{Op: core.OpDelete, Path: ptr("a"), Content: ptr("a")}, core.CodeInvalidRequest},
		{"delete without path", files.Operation{Op: core.OpDelete}, core.CodeInvalidRequest},
		{"write outside", bulkWrite("../a", ""), core.CodePathTraversal},
		{"write into the repository", bulkWrite(".GIT/config", ""), core.CodeInvalidPath},
		{"rename from outside", files.Operation{Op: core.OpRename, From: ptr("/etc/passwd"), To: ptr("b")}, core.CodePathTraversal},
		{"rename into the repository", files.Operation{Op: core.OpRename, From: ptr("README.md"), To: ptr("x/.git/config")}, core.CodeInvalidPath},
		{"delete of the root", files.Operation{Op: core.OpDelete, Path: ptr("")}, core.CodeInvalidPath},
		{"write with a broken tag", files.Operation{Op: core.OpWrite, Path: ptr("a"), Content: ptr("a"), IfMatch: ptr("abc")}, core.CodeValidationFailed},
		{"write with a weak tag", files.Operation{Op: core.OpWrite, Path: ptr("a"), Content: ptr("a"), IfMatch: ptr(`W/"a"`)}, core.CodeValidationFailed},
		{"delete with a tag", files.Operation{Op: core.OpDelete, Path: ptr("a"), IfMatch: ptr("*")}, core.CodeInvalidRequest},
		{"rename with a tag", files.Operation{Op: core.OpRename, From: ptr("a"), To: ptr("b"), IfMatch: ptr("*")}, core.CodeInvalidRequest},
		{"too large", bulkWrite("a", strings.Repeat("x", fixtureLimit+1)), core.CodePayloadTooLarge},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := f.service.Bulk(f.ctx, f.member, f.project, files.Batch{Operations: []files.Operation{bulkWrite("done", "1"), test.bad}})
			if got := core.CodeOf(err); got != test.want || !strings.Contains(err.Error(), "operations[1]") {
				t.Errorf("got %v, want %q and the operation's number", err, test.want)
			}
		})
	}
	_, err := f.service.Bulk(f.ctx, f.member, f.project, files.Batch{})
	f.wantCode(err, core.CodeInvalidRequest)
	_, err = f.service.Bulk(f.ctx, f.member, f.project, files.Batch{Operations: append(many, many[0])})
	f.wantCode(err, core.CodeValidationFailed)
	_, err = f.service.Bulk(f.ctx, f.member, f.project, files.Batch{Operations: many, Message: ptr(strings.Repeat("x", files.MaxMessageChars+1))})
	f.wantCode(err, core.CodeValidationFailed)
	f.wantPaths("README.md", "src/main.js")
	_, err = f.service.Bulk(f.ctx, f.member, f.project, files.Batch{Operations: many})
	f.must(err)
}
