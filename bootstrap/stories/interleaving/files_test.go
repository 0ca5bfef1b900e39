package interleaving_test

import (
	"context"
	"io"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/core/directsave"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/gitremote"
	"github.com/atelierhq/atelier/core/publish"
	"github.com/atelierhq/atelier/core/versions"
	"github.com/atelierhq/atelier/ports/vcs"
)

// page is the file that everybody wants to change.
var page = core.MustPath("page.html")

func (w *world) files() *files.Service {
	return files.NewService(files.ServiceDeps{Gate: w.gate, Reader: w.pipeline.Reader, Writer: w.pipeline.Writer, MaxFileBytes: 1 << 20})
}

func (w *world) versions() *versions.Service {
	return versions.New(versions.Deps{Gate: w.gate, Store: w.hookedStore, History: w.pipeline.History, Committer: w.pipeline.Committer, Bus: w.bus, Now: time.Now, Log: w.log})
}

// written gives the project three versions of the page, the second by the agent, and a
// change that is in no version yet.
func written(w *world) {
	w.t.Helper()
	for i, kind := range []core.AuthorKind{core.AuthorUser, core.AuthorAgent, core.AuthorUser} {
		commit := vcs.Commit{Message: "Page", Author: core.Author{Kind: kind, Name: "Somebody"}}
		lines := []string{"<p>0</p>", "", "", "", "<b>0</b>"}
		if i > 0 {
			lines[0] = "<p>1</p>"
		}
		if i > 1 {
			lines[4] = "<b>2</b>"
		}
		_, _, err := w.pipeline.ApplyAndCommit(w.t.Context(), w.project.ID, writing(strings.Join(lines, "\n")), commit)
		must(w.t, err)
	}
	_, err := w.pipeline.Apply(w.t.Context(), w.project.ID, core.Author{Kind: core.AuthorUser, Name: "Somebody"}, writing("<p>1</p>\n\n\n\n<b>3</b>"), nil)
	must(w.t, err)
}

func writing(text string) []core.FileChange {
	return []core.FileChange{{Op: core.OpWrite, Path: page, Content: []byte(text)}}
}

func (w *world) history() []core.Version {
	w.t.Helper()
	found, err := w.pipeline.Versions(w.t.Context(), w.project.ID, "", 10)
	must(w.t, err)
	return found
}

// wantAsWritten fails the test unless the project is as written left it.
func wantAsWritten(w *world) {
	w.t.Helper()
	if got := len(w.history()); got != 4 {
		w.t.Errorf("got %d versions, want the 4 from before", got)
	}
	listing, err := w.pipeline.List(w.t.Context(), w.project.ID)
	must(w.t, err)
	file, err := w.pipeline.Open(w.t.Context(), core.FileAt{Project: w.project.ID, Path: page})
	must(w.t, err)
	defer file.Close()
	content, err := io.ReadAll(file)
	if err != nil || !strings.Contains(string(content), "<p>1</p>") || !strings.Contains(string(content), "<b>3</b>") {
		w.t.Errorf("got %q, %v of %d files, want the page as it was", content, err, len(listing.Entries))
	}
}

// pushOutcome is a git client's push without any other version.
type pushOutcome struct {
	vcs.Wire
	arrival vcs.Arrival
}

func (p *pushOutcome) Receive(context.Context, core.ID, io.Reader, vcs.Limits) (vcs.Push, error) {
	return p, nil
}
func (p *pushOutcome) Arrival() (vcs.Arrival, error)           { return p.arrival, nil }
func (p *pushOutcome) Adopt(context.Context) error             { return nil }
func (p *pushOutcome) Close() error                            { return nil }
func (p *pushOutcome) Report(_ io.Writer, outcome error) error { return outcome }

// agentWrites is what the agent does for somebody.
const agentWrites = "the agent writes"

// writers are all ways to change a project's files or versions for a person.
func writers() map[string]func(w *world) error {
	all := fileWriters()
	maps.Copy(all, versionWriters())
	return all
}

func fileWriters() map[string]func(w *world) error {
	return map[string]func(w *world) error{
		"put": func(w *world) error {
			_, err := w.files().Write(w.t.Context(), w.member, core.FileAt{Project: w.project.ID, Path: page}, func() ([]byte, error) { return []byte("x"), nil }, nil)
			return err
		},
		"delete": func(w *world) error {
			return w.files().Delete(w.t.Context(), w.member, core.FileAt{Project: w.project.ID, Path: page}, nil)
		},
		"bulk": func(w *world) error {
			path := page.String()
			_, err := w.files().Bulk(w.t.Context(), w.member, w.project.ID, files.Batch{Operations: []files.Operation{{Op: core.OpDelete, Path: &path}}})
			return err
		},
		"direct-save": func(w *world) error {
			service := directsave.New(directsave.Deps{Gate: w.gate, Writer: w.pipeline.Writer, Patcher: memory.NewPatcher(), Sources: w.pipeline, MaxFileBytes: 1 << 20})
			_, err := service.Save(w.t.Context(), w.member, core.FileAt{Project: w.project.ID, Path: page}, []directsave.Patch{{Selector: "p", Property: "textContent", Value: "x"}})
			return err
		},
		agentWrites: func(w *world) error {
			projects := chat.NewPipelineProjects(chat.PipelineDeps{Store: w.hookedStore, Gate: w.gate, Files: w.pipeline, Syntax: memory.NewBuilder()})
			project := projects.Open(core.Run{ProjectID: w.project.ID, UserID: w.member.UserID})
			_, err := project.Apply(w.t.Context(), writing("x")[0], "")
			return err
		},
	}
}

func versionWriters() map[string]func(w *world) error {
	return map[string]func(w *world) error{
		"save a version": func(w *world) error {
			_, err := w.versions().Save(w.t.Context(), w.member, w.project.ID, "Mine")
			return err
		},
		"keep what was edited": func(w *world) error {
			_, _, err := w.versions().Keep(w.t.Context(), w.member, w.project.ID)
			return err
		},
		"restore a version": func(w *world) error {
			_, _, err := w.versions().Restore(w.t.Context(), w.member, w.project.ID, w.history()[2].ID)
			return err
		},
		"undo a version": func(w *world) error {
			_, err := w.versions().Undo(w.t.Context(), w.member, w.project.ID, w.history()[1].ID)
			return err
		},
		"push": func(w *world) error {
			newest := w.history()[0].ID
			service := gitremote.New(gitremote.Deps{
				Gate: w.gate, Store: w.hookedStore, Arrivals: w.pipeline.Arrivals, Wire: &pushOutcome{arrival: vcs.Arrival{From: newest, To: newest}}, MaxFileBytes: 1 << 20, Log: w.log,
			})
			return service.Receive(w.t.Context(), w.member, w.project.ID, strings.NewReader(""), io.Discard)
		},
		"publish": func(w *world) error {
			_, err := w.publishing(memory.NewSites()).Publish(w.t.Context(), w.member, w.project.ID, publish.Request{})
			return err
		},
	}
}

func TestWritersAreAskedAgainUnderTheProjectsLock(t *testing.T) {
	var rows []row
	for name, call := range writers() {
		rows = append(rows,
			row{name: name + ", and the member leaves", meanwhile: (*world).leave},
			row{name: name + ", and the project is deleted", meanwhile: (*world).bury},
			row{name: name + ", and the project is transferred", meanwhile: (*world).move},
			row{name: name + ", and the project is shown to all", want: core.CodeForbidden, meanwhile: func(w *world) {
				w.change(func(p *core.Project) { p.Visibility = core.VisibilityPublic })
				w.leave()
			}},
		)
		for i := range rows[len(rows)-4:] {
			row := &rows[len(rows)-4+i]
			row.atLock, row.prepare, row.call, row.check = true, written, call, wantAsWritten
			// Chats are hidden from those who may only read.
			if row.want == "" || name == agentWrites {
				row.want = core.CodeNotFound
			}
		}
	}
	play(t, rows)
}

func TestWritersWhoMayAreLet(t *testing.T) {
	var rows []row
	for name, call := range writers() {
		rows = append(rows, row{name: name, atLock: true, prepare: written, call: call, meanwhile: func(*world) {}})
		if name == "push" {
			// A push that lacks unsaved changes is refused.
			rows[len(rows)-1].prepare = func(w *world) {
				written(w)
				must(w.t, w.pipeline.CommitByHand(w.t.Context(), w.project.ID, nil, nil))
			}
		}
	}
	play(t, rows)
}

// begin lets the agent begin a run and change a file that was unchanged before.
func (w *world) begin() {
	w.t.Helper()
	now := core.At(time.Now())
	made := core.MustPath("made.html")
	must(w.t, w.Tables().Runs.Create(w.t.Context(), core.Run{
		ID: core.NewID(), ChatID: w.chat.ID, ProjectID: w.project.ID, UserID: w.owner.UserID, Status: core.RunRunning, Mode: core.ModeBuild,
		Owner: "process", LeaseUntil: now, CreatedAt: now, Changed: []core.ProjectPath{made},
	}))
	changes := []core.FileChange{{Op: core.OpWrite, Path: made, Content: []byte("half")}}
	_, err := w.pipeline.Apply(w.t.Context(), w.project.ID, core.Author{Kind: core.AuthorAgent, Name: "Atelier"}, changes, nil)
	must(w.t, err)
}

// wantOnlyPage fails the test unless the newest version is of the page alone.
func wantOnlyPage(w *world) {
	w.t.Helper()
	newest := w.history()[0]
	_, changes, err := w.pipeline.Changes(w.t.Context(), w.project.ID, newest.ID)
	must(w.t, err)
	if len(changes) != 1 || changes[0].Path != page {
		w.t.Errorf("got %d files in %q, want the page alone", len(changes), newest.Message)
	}
}

// TestVersionsOfPeopleLeaveOutWhatARunHasBegun lets the agent begin while somebody waits
// to save.
func TestVersionsOfPeopleLeaveOutWhatARunHasBegun(t *testing.T) {
	var rows []row
	for _, name := range []string{"save a version", "keep what was edited"} {
		rows = append(rows, row{name: name, atLock: true, prepare: written, call: writers()[name], meanwhile: (*world).begin, check: wantOnlyPage})
	}
	play(t, rows)
}
