package versions_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/access"
	"github.com/atelierhq/atelier/core/versions"
)

// snapshots is the test data of a project that has one snapshot.
type snapshots struct {
	f *fixture
	// kept is the snapshot, which fits a schema.
	kept   core.ID
	schema string
	// find and restore are failures.
	find, restore error
	// since is the time that was asked for; restored are the snapshots that were restored, with the
	// schema file of that moment.
	since    core.Time
	restored map[core.ID]string
}

// TestDataWith implements versions.TestData.
func (s *snapshots) TestDataWith(_ context.Context, _ core.Actor, _ core.ID, schema []byte, since core.Time) (core.ID, error) {
	s.since = since
	if string(schema) != s.schema || s.find != nil {
		return "", s.find
	}
	return s.kept, nil
}

// RestoreTestData implements versions.TestData.
func (s *snapshots) RestoreTestData(_ context.Context, _ core.Actor, _, snapshot core.ID) error {
	if s.restore == nil {
		s.restored[snapshot] = s.f.content(core.BackendSchemaPath)
	}
	return s.restore
}

// withData is a project with three versions, of which the last has no backend, and the first alone
// has a snapshot.
func withData(t *testing.T) (*fixture, *snapshots, []core.Version) {
	t.Helper()
	f := newFixture(t, map[string]string{"a": "1", core.BackendSchemaPath: "one"})
	data := &snapshots{f: f, kept: core.NewID(), schema: "one", restored: map[core.ID]string{}}
	f.service = versions.New(versions.Deps{
		Gate: access.NewGate(f.store), Store: f.store, History: f.pipeline.History, Committer: f.pipeline.Committer, TestData: data,
		Bus: f.ports.Bus, Now: f.ports.Now, Log: slog.New(slog.DiscardHandler),
	})
	made := f.log()
	made = append(made, f.commit(person, "Second", map[string]string{core.BackendSchemaPath: "two"}))
	made = append(made, f.commit(person, "Third", map[string]string{core.BackendSchemaPath: "-"}))
	return f, data, made
}

func TestRestoreBringsTestDataBackAfterTheFiles(t *testing.T) {
	f, data, made := withData(t)
	got, changed, err := f.service.RestoreWithTestData(t.Context(), f.ann, f.project, made[0].ID)
	f.must(err)
	if !changed || !got.TestData || got.Message != "Restore: First" || data.restored[data.kept] != "one" || data.since != made[0].CreatedAt {
		t.Errorf("got %+v, %t, and %v since %v, want data beside the version's file", got, changed, data.restored, data.since)
	}
	// The files are there already, the data may have changed.
	clear(data.restored)
	again, changed, err := f.service.RestoreWithTestData(t.Context(), f.ann, f.project, made[0].ID)
	f.must(err)
	if changed || !again.TestData || again.ID != got.ID || len(data.restored) != 1 {
		t.Errorf("got %+v, %t, want the data alone", again, changed)
	}
}

func TestRestoreSaysThatNoTestDataAreKept(t *testing.T) {
	for name, which := range map[string]int{"no snapshot fits": 1, "no backend": 2} {
		f, data, made := withData(t)
		f.edit(map[string]string{"a": "2"})
		got, changed, err := f.service.RestoreWithTestData(t.Context(), f.ann, f.project, made[which].ID)
		f.must(err)
		if !changed || got.TestData || len(data.restored) != 0 || f.content("a") != "1" {
			t.Errorf("%s: got %+v, %t, want the files alone", name, got, changed)
		}
	}
}

func TestRestoreWithTestDataThatFail(t *testing.T) {
	f, data, made := withData(t)
	restore := func(by core.Actor) (versions.RestoreResult, error) {
		got, _, err := f.service.RestoreWithTestData(t.Context(), by, f.project, made[0].ID)
		return got, err
	}
	for code, arrange := range map[core.Code]func() core.Actor{
		core.CodeForbidden: func() core.Actor {
			data.find = core.Errorf(core.CodeForbidden, "not allowed")
			return f.ann
		},
		core.CodeNotFound: func() core.Actor {
			data.find = nil
			return f.stranger
		},
	} {
		if _, err := restore(arrange()); !core.IsCode(err, code) || len(f.log()) != 3 || f.content(core.BackendSchemaPath) != "-" {
			t.Errorf("got %v and %s, want %s and nothing changed", err, f.messages(), code)
		}
	}
	data.find, data.restore = nil, core.Errorf(core.CodeUnavailable, "the engine has failed")
	if _, err := restore(f.ann); !core.IsCode(err, core.CodeUnavailable) || f.content(core.BackendSchemaPath) != "one" {
		t.Errorf("got %v, want the failure, and the files back", err)
	}
	data.restore = core.NotFound("snapshot")
	if got, err := restore(f.ann); err != nil || got.TestData {
		t.Errorf("got %+v, %v, want no data from a snapshot that was deleted meanwhile", got, err)
	}
	data.restore = nil
	if got, err := restore(f.ann); err != nil || !got.TestData {
		t.Errorf("got %+v, %v, want the data", got, err)
	}
}
