package versions_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
)

// wantMessages checks the messages of the project's versions.
func (f *fixture) wantMessages(want string) {
	f.t.Helper()
	if got := f.messages(); got != want {
		f.t.Errorf("got %s, want %s", got, want)
	}
}

func (f *fixture) wantUnversioned(want int) {
	f.t.Helper()
	if got, err := f.service.Unversioned(f.t.Context(), f.ann, f.project); err != nil || got != want {
		f.t.Errorf("got %d files in no version, %v, want %d", got, err, want)
	}
}

// pass lets time pass and waits for the work that this starts.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestWhatPeopleChangedBecomesAVersionWhenTheyRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, map[string]string{"a": "1"})
		f.service.Start()
		defer func() { f.must(f.service.Close(t.Context())) }()
		pass(5 * time.Minute)
		f.wantMessages("Bob: First")

		for _, content := range []string{"2", "3", "4"} {
			f.edit(map[string]string{"a": content})
			pass(50 * time.Second)
		}
		f.wantMessages("Bob: First")
		f.wantUnversioned(1)
		pass(30 * time.Second)
		f.wantMessages("Bob: Edited by hand, Bob: First")
		f.wantUnversioned(0)

		// Edits that people undid themselves make no version.
		f.edit(map[string]string{"a": "5", "b": "1"})
		f.edit(map[string]string{"a": "4", "b": "-"})
		pass(10 * time.Minute)
		f.wantMessages("Bob: Edited by hand, Bob: First")
	})
}

func TestOfSeveralProcessesOneKeepsWhatWasChangedInAnyOfThem(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, map[string]string{"a": "1"})
		for range 3 {
			_, service := f.process()
			service.Start()
			defer func() { f.must(service.Close(t.Context())) }()
		}
		// The process in which it was changed makes no versions, as if it had died.
		f.edit(map[string]string{"a": "2"})
		pass(2 * time.Minute)
		f.wantMessages("Bob: Edited by hand, Bob: First")
		pass(10 * time.Minute)
		f.wantMessages("Bob: Edited by hand, Bob: First")
	})
}

func TestWhatARunChangedStaysItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, map[string]string{"a": "1", "b": "1"})
		run := core.Run{ID: core.NewID(), ChatID: f.chat.ID, ProjectID: f.project, Status: core.RunRunning, Changed: []core.ProjectPath{core.MustPath("b")}}
		f.must(f.store.Tables().Runs.Create(t.Context(), run))
		f.edit(map[string]string{"a": "2"})
		results, err := f.pipeline.Apply(t.Context(), f.project, agent, changesTo(map[string]string{"b": "2"}), nil)
		f.must(err, results[0].Err)
		made, changed, err := f.service.Keep(t.Context(), f.ann, f.project)
		if err != nil || !changed || made.FilesChanged != 1 || made.Author.Name != "Bob" {
			t.Errorf("got %+v, %t, %v, want Bob's version of one file", made, changed, err)
		}
		f.wantUnversioned(1)
		if made, changed, err = f.service.Keep(t.Context(), f.ann, f.project); err != nil || changed {
			t.Errorf("got %+v, %t, %v, want nothing to keep", made, changed, err)
		}
	})
}

func TestOnlyMembersKeep(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "1"})
	f.edit(map[string]string{"a": "2"})
	if _, _, err := f.service.Keep(t.Context(), f.stranger, f.project); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v, want not_found", err)
	}
	if _, err := f.service.Unversioned(t.Context(), f.stranger, f.project); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v, want not_found", err)
	}
	f.wantMessages("Bob: First")
}
