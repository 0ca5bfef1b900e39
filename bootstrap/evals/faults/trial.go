package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/core/files"
	"github.com/atelierhq/atelier/core/projects"
	"github.com/atelierhq/atelier/ports/ai"
)

// place is a project in which changes are tried.
type place struct {
	bench   *Bench
	project Project
	id      core.ID
}

// prepare makes a project.
func (b *Bench) prepare(ctx context.Context, project Project) (*place, error) {
	made, err := b.app.Projects.Create(ctx, b.by, b.workspace, projects.Draft{Name: project.Name, Template: &project.Template})
	if err != nil {
		return nil, err
	}
	p := &place{bench: b, project: project, id: made.ID}
	return p, p.write(ctx, project.Files)
}

func (p *place) write(ctx context.Context, texts map[string]string) error {
	var writes []files.Operation
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		text := texts[path]
		writes = append(writes, files.Operation{Op: core.OpWrite, Path: &path, Content: &text})
	}
	if len(writes) == 0 {
		return nil
	}
	done, err := p.bench.app.Files.Bulk(ctx, p.bench.by, p.id, files.Batch{Operations: writes})
	for _, write := range done.Results {
		if write.Status != files.StatusOK {
			return fmt.Errorf("%s cannot be written: %s", write.Path, write.Message)
		}
	}
	return err
}

// try lets the model make a change in a run, and takes the change back afterwards. Its error says
// why the change could not be tried.
func (p *place) try(ctx context.Context, change Change) (Result, error) {
	before, err := p.examine(ctx, change)
	if err != nil {
		return Result{}, err
	}
	p.bench.script(change)
	began := time.Now()
	seen, err := p.converse(ctx, change)
	if err != nil {
		return Result{}, err
	}
	if !seen.changed {
		return Result{}, fmt.Errorf("the run changed nothing: %s", seen.problem)
	}
	result := Result{
		Project: p.project.Name, Change: change.Name, About: change.About, Catcher: change.Catcher,
		Alarms: seen.failed, Message: seen.message, Millis: time.Since(began).Milliseconds(),
	}
	if result.Alarms == nil && seen.ended != core.ReasonDone {
		hint := p.bench.hint()
		if !strings.Contains(hint, "does not work") {
			return Result{}, fmt.Errorf("the run failed: %s %s %s", seen.problem, seen.ended, hint)
		}
		result.Alarms, result.Message = []string{Smoke}, hint
	}
	return result, p.write(ctx, before)
}

// examine returns the texts that a change will replace.
func (p *place) examine(ctx context.Context, change Change) (before map[string]string, err error) {
	view, err := p.bench.app.Pipeline.View(ctx, p.id)
	if err != nil {
		return nil, err
	}
	before, after := map[string]string{}, map[string]string{}
	for _, edit := range change.Edits {
		if _, read := before[edit.Path]; !read {
			text, err := fs.ReadFile(view, edit.Path)
			if err != nil {
				return nil, err
			}
			before[edit.Path], after[edit.Path] = string(text), string(text)
		}
		if after[edit.Path], err = edit.applied(after[edit.Path]); err != nil {
			return nil, err
		}
	}
	return before, nil
}

// script has the model read the files, edit them and say that it is done. To everything that it is
// told then it has no answer, which ends the run.
func (b *Bench) script(change Change) {
	type pair struct {
		Old string `json:"oldText"`
		New string `json:"newText"`
	}
	edits := map[string][]pair{}
	for _, edit := range change.Edits {
		edits[edit.Path] = append(edits[edit.Path], pair{edit.Old, edit.New})
	}
	var reads, writes []ai.Chunk
	for _, path := range slices.Sorted(maps.Keys(edits)) {
		reads = append(reads, call("read_file", map[string]any{"path": path}))
		writes = append(writes, call("edit_file", map[string]any{"path": path, "edits": edits[path]}))
	}
	b.model.Answer(reads...).Answer(writes...).Say("Done.")
}

func call(tool string, args map[string]any) ai.Chunk {
	text, err := json.Marshal(args)
	if err != nil {
		panic(err) // Texts always have JSON.
	}
	return ai.Chunk{Call: &ai.Call{ID: string(core.NewID()), Tool: tool, Args: text}}
}

// hint is what the model was told last.
func (b *Bench) hint() string {
	asked := b.model.Requests()
	if len(asked) == 0 {
		return ""
	}
	messages := asked[len(asked)-1].Messages
	return messages[len(messages)-1].Text
}

// sight is what a run showed.
type sight struct {
	// failed are the checks that failed, message is the first one's.
	failed  []string
	message string
	// changed says that the run changed a file.
	changed bool
	// ended is why the run ended by itself, problem why it failed.
	ended   core.CompletionReason
	problem string
}

// see takes an event of a run.
func (s *sight) see(event core.Event) error {
	switch p := event.Payload.(type) {
	case core.CheckResult:
		if !p.Passed {
			if s.failed = append(s.failed, p.Name); s.message == "" {
				s.message = p.Message
			}
		}
	case core.FileChanged:
		s.changed = true
	case core.ToolError:
		s.problem = p.Error
	case core.TaskComplete:
		s.ended = p.Reason
	case core.SessionError:
		s.problem += " " + p.Message
	}
	return nil
}

// converse sends a message in a new chat and follows its run to the end.
func (p *place) converse(ctx context.Context, change Change) (seen sight, err error) {
	talk, err := p.bench.app.Chats.Create(ctx, p.bench.by, p.id, chat.NewChat{Mode: core.ModeBuild, Title: &change.Name})
	if err != nil {
		return seen, err
	}
	err = p.bench.app.Runs.Send(ctx, p.bench.by, p.id, chat.Message{ChatID: talk.ID, Text: change.About}, seen.see)
	return seen, err
}
