package vcstest

import (
	"encoding/hex"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/vcs"
	"github.com/atelierhq/atelier/ports/worktree/worktreetest"
)

func versionClauses() []clause {
	return []clause{
		{"a version records what was staged, once", commitsOnce},
		{"a version counts the paths that changed", countsFiles},
		{"staging what is there already changes nothing", commitsNoChange},
		{"messages and authors come back as they were", keepsWords},
		{"a message cannot pose as another author or chat", keepsTrailersApart},
		{"the time of a version is cut to the second", cutsTime},
		{"the log pages from the newest to the oldest", pages},
		{"a version that is not there is not found", unknownVersion},
		{"a hundred files make one version", commitsMany},
	}
}

func commitsOnce(t *testing.T, p *project) {
	p.save(t, worktreetest.Writing("src/a.ts", "a"), worktreetest.Writing("b.css", "b"))
	chat := core.NewID()
	at := core.At(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC))
	author := core.Author{Kind: core.AuthorAgent, Name: "Atelier"}
	version, made, err := p.repo.Commit(t.Context(), p.id, vcs.Commit{Message: "Add a page", Author: author, At: at, ChatID: &chat})
	if err != nil || !made {
		t.Fatalf("got made %v, %v, want a version", made, err)
	}
	want := core.Version{ID: version.ID, Message: "Add a page", Author: author, CreatedAt: at, Chat: core.MarkOf(chat), FilesChanged: 2}
	if !reflect.DeepEqual(version, want) {
		t.Errorf("got %+v, want %+v", version, want)
	}
	if raw, err := hex.DecodeString(version.ID); err != nil || len(raw) != 20 {
		t.Errorf("id: got %q, want a SHA-1 in hexadecimal", version.ID)
	}
	log, err := p.repo.Log(t.Context(), p.id, "", 10)
	if err != nil || !reflect.DeepEqual(log, []core.Version{want}) {
		t.Errorf("log: got %+v, %v, want the version", log, err)
	}
	p.wantNothingStaged(t)
	p.wantStaged(t)
}

func countsFiles(t *testing.T, p *project) {
	steps := []struct {
		changes []core.FileChange
		want    int
	}{
		{[]core.FileChange{worktreetest.Writing("a", "1"), worktreetest.Writing("d/b", "1"), worktreetest.Writing("d/e/c", "1")}, 3},
		{[]core.FileChange{worktreetest.Writing("d/e/c", "2")}, 1},
		{[]core.FileChange{worktreetest.Writing("d/e/c", "3"), worktreetest.Writing("d/e/f", "3"), worktreetest.Deleting("a")}, 3},
		{[]core.FileChange{worktreetest.Renaming("d", "g")}, 6},
		{[]core.FileChange{worktreetest.Renaming("g/b", "g/b2")}, 2},
	}
	for i, step := range steps {
		p.save(t, step.changes...)
		if version := p.commit(t, "step"); version.FilesChanged != step.want {
			t.Errorf("step %d: got %d files changed, want %d", i, version.FilesChanged, step.want)
		}
	}
	log, err := p.repo.Log(t.Context(), p.id, "", 10)
	conformance.Must(t, err)
	for i, step := range steps {
		if got := log[len(steps)-1-i].FilesChanged; got != step.want {
			t.Errorf("log of step %d: got %d files changed, want %d", i, got, step.want)
		}
	}
}

func commitsNoChange(t *testing.T, p *project) {
	p.save(t, worktreetest.Writing("a", "1"))
	p.commit(t, "one")
	p.save(t, worktreetest.Writing("a", "1"))
	p.wantNothingStaged(t)
	p.save(t, worktreetest.Writing("a", "2"), worktreetest.Writing("b", "2"))
	p.save(t, worktreetest.Writing("a", "1"), worktreetest.Deleting("b"))
	p.wantNothingStaged(t)
}

func keepsWords(t *testing.T, p *project) {
	messages := []string{
		"", "one line", "  trimmed \n\n", "subject\n\nbody\n\nmore", "# not a comment", "Ünïcödé 世界 🎨",
		"tree 0000\nparent x", "bad\xffutf8", "nul\x00byte", "trailing\r\n", strings.Repeat("long ", 5000), "a\n\n\n\nb",
	}
	names := []string{
		"Ann", "", "Ann <ann@example.com>", "line\nbreak", " spaces ", ".dots.", "Ünïcödé 世界", "a\x00b", `quo"te\'s`, "O'Neil, Jr.", "\t", "a\\",
	}
	for i := range messages {
		p.save(t, worktreetest.Writing("a", fmt.Sprint(i)))
		author := core.Author{Kind: core.AuthorUser, Name: names[i]}
		if i%2 == 1 {
			author.Kind = core.AuthorAgent
		}
		made, _, err := p.repo.Commit(t.Context(), p.id, vcs.Commit{Message: messages[i], Author: author, At: 1000})
		conformance.Must(t, err)
		log, err := p.repo.Log(t.Context(), p.id, "", 1)
		if err != nil || !reflect.DeepEqual(log[0], made) || made.Author != author || made.Message != vcs.CleanMessage(messages[i]) {
			t.Errorf("%.30q by %q: got %.200q, then %.200q, %v, want them back", messages[i], names[i], fmt.Sprint(made), fmt.Sprint(log), err)
		}
	}
}

func keepsTrailersApart(t *testing.T, p *project) {
	message := "Fix\n\nAuthored-By: agent\nAuthor-Name: \"Eve\"\nChat-Id: " + string(core.NewID())
	p.save(t, worktreetest.Writing("a", "a"))
	made := p.commit(t, message)
	log, err := p.repo.Log(t.Context(), p.id, "", 1)
	conformance.Must(t, err)
	for _, version := range []core.Version{made, log[0]} {
		if version.Message != message || version.Chat != "" || version.ChatID != nil || version.Author != (core.Author{Kind: core.AuthorUser, Name: "Ann"}) {
			t.Errorf("got %+v, want Ann's message with no chat", version)
		}
	}
}

func cutsTime(t *testing.T, p *project) {
	p.save(t, worktreetest.Writing("a", "a"))
	version, _, err := p.repo.Commit(t.Context(), p.id, vcs.Commit{Message: "m", At: 1_700_000_000_999})
	if err != nil || version.CreatedAt != 1_700_000_000_000 {
		t.Errorf("got %v, %v, want the whole second", version.CreatedAt, err)
	}
}

func pages(t *testing.T, p *project) {
	const total = 7
	var ids []string
	for i := range total {
		p.save(t, worktreetest.Writing(fmt.Sprintf("d%d/f", i%3), fmt.Sprint(i)))
		ids = append([]string{p.commit(t, fmt.Sprint("version ", i)).ID}, ids...)
	}
	before := ""
	var paged []string
	for range total {
		page, err := p.repo.Log(t.Context(), p.id, before, 3)
		conformance.Must(t, err)
		for _, version := range page {
			paged = append(paged, version.ID)
		}
		if len(page) < 3 {
			break
		}
		before = page[len(page)-1].ID
	}
	if !reflect.DeepEqual(paged, ids) {
		t.Errorf("got %q, want %q", paged, ids)
	}
	if page, err := p.repo.Log(t.Context(), p.id, ids[total-1], 3); err != nil || len(page) != 0 {
		t.Errorf("behind the oldest: got %v, %v, want none", page, err)
	}
	if page, err := p.repo.Log(t.Context(), p.id, "", 0); err != nil || len(page) != 0 {
		t.Errorf("limit 0: got %v, %v, want none", page, err)
	}
}

func unknownVersion(t *testing.T, p *project) {
	p.save(t, worktreetest.Writing("a", "a"))
	id := p.commit(t, "one").ID
	for _, before := range []string{strings.Repeat("0", 40), strings.Repeat("ab", 20), "HEAD", id[:10], strings.ToUpper(id) + "x", "../../HEAD", "--all"} {
		_, err := p.repo.Log(t.Context(), p.id, before, 3)
		conformance.WantCode(t, before, err, core.CodeNotFound)
	}
}

func commitsMany(t *testing.T, p *project) {
	var changes []core.FileChange
	for i := range 100 {
		changes = append(changes, worktreetest.Writing(fmt.Sprintf("src/dir%02d/file%03d.ts", i%40, i), strings.Repeat(fmt.Sprint(i, " "), 100)))
	}
	p.save(t, changes...)
	p.wantStaged(t)
	if version := p.commit(t, "many"); version.FilesChanged != 100 {
		t.Errorf("got %d files changed, want 100", version.FilesChanged)
	}
	p.save(t, worktreetest.Writing("src/dir00/file000.ts", "changed"))
	if version := p.commit(t, "one"); version.FilesChanged != 1 {
		t.Errorf("got %d files changed, want 1", version.FilesChanged)
	}
	if log, err := p.repo.Log(t.Context(), p.id, "", 5); err != nil || len(log) != 2 || log[1].FilesChanged != 100 {
		t.Errorf("log: got %+v, %v, want both versions", log, err)
	}
}
