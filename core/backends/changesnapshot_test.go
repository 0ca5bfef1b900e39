package backends_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/backends"
	"github.com/atelierhq/atelier/ports/backend"
)

// first is the first moment of all.
const first = core.Time(0)

// wantTestData checks whether a snapshot fits a schema file, and returns it.
func (f *fixture) wantTestData(schema string, since core.Time, want bool) core.ID {
	f.t.Helper()
	found, err := f.TestDataWith(f.ctx, f.member, f.project, []byte(schema), since)
	f.must(err)
	if (found != "") != want {
		f.t.Errorf("got the snapshot %q for %s, want one: %t", found, schema, want)
	}
	return found
}

func (f *fixture) sync() []core.Diagnostic {
	f.t.Helper()
	f.now = f.now.Add(time.Second)
	wrong, err := f.Sync(f.ctx, f.project)
	f.must(err)
	return wrong
}

func TestTestDataAreKeptBeforeTheirSchemaChanges(t *testing.T) {
	f := newFixture(t)
	f.enter(f.test, "first")
	f.wantReasons(f.test)
	f.grow()
	f.sync()
	f.sync()
	f.wantReasons(f.test, core.SnapshotScheduled)
	f.enter(f.test, "second")
	kept := f.wantTestData(guestbook, first, true)
	f.must(f.RestoreTestData(f.ctx, f.member, f.project, kept))
	f.wantEntries(f.test, 1)
	// The restored data are kept already, so their way to the present schema makes no other snapshot.
	f.wantReasons(f.test, core.SnapshotRestore, core.SnapshotScheduled)

	found, err := f.ListSnapshots(f.ctx, f.member, f.test)
	f.must(err)
	if by := found[1].By; by != nil {
		t.Errorf("got a snapshot by %s, want one by the service", *by)
	}
	f.wantTestData(guestbook, found[1].CreatedAt, true)
	f.wantTestData(guestbook, found[1].CreatedAt+1, false)
}

func TestChangesOfASchemaWithinAMinuteShareASnapshot(t *testing.T) {
	f := newFixture(t)
	f.enter(f.test, "first")
	f.declare("one")
	f.wantReasons(f.test, core.SnapshotScheduled)
	f.declare("two")
	f.declare("three")
	f.wantReasons(f.test, core.SnapshotScheduled)
	f.now = f.now.Add(time.Minute)
	f.declare("four")
	f.wantReasons(f.test, core.SnapshotScheduled, core.SnapshotScheduled)
	// What loses values is always preceded by one.
	_, err := f.CreateRecord(f.ctx, f.member, f.test, "entries", "application/json", []byte(`{"four": "kept"}`))
	f.must(err)
	f.write(core.BackendSchemaPath, guestbook)
	if wrong := f.sync(); len(wrong) == 0 {
		t.Fatal("got no pending change")
	}
	status, err := f.Status(f.ctx, f.member, f.project)
	f.must(err)
	f.must(f.ApplyPending(f.ctx, f.member, f.project, status.Environments.Test.Pending.ID))
	f.wantReasons(f.test, core.SnapshotScheduled, core.SnapshotScheduled, core.SnapshotScheduled)
}

// declare gives entries one more field, which has a name, and no longer that of the last declare.
func (f *fixture) declare(name string) {
	f.t.Helper()
	f.write(core.BackendSchemaPath, strings.ReplaceAll(guestbook, `"type": "text"}`, `"type": "text"}, {"name": "`+name+`", "type": "text"}`))
	if wrong := f.sync(); len(wrong) > 0 {
		f.t.Fatalf("%s: got %v", name, wrong)
	}
}

func TestManyChangesOfASchemaLeaveOtherSnapshots(t *testing.T) {
	f := newFixture(t)
	f.enter(f.test, "first")
	made, err := f.CreateSnapshot(f.ctx, f.member, f.test)
	f.must(err)
	f.must(f.RestoreSnapshot(f.ctx, f.member, f.test, made.ID))
	for number := range core.MaxScheduledSnapshots + 2 {
		f.now = f.now.Add(time.Minute)
		f.declare(fmt.Sprintf("field%d", number))
	}
	got := f.reasons(f.test)
	scheduled, rest := got[:core.MaxScheduledSnapshots], got[core.MaxScheduledSnapshots:]
	if slices.ContainsFunc(scheduled, func(r core.SnapshotReason) bool { return r != core.SnapshotScheduled }) ||
		!slices.Equal(rest, []core.SnapshotReason{core.SnapshotRestore, core.SnapshotManual}) || len(f.flaky.forgotten) != 2 {
		t.Errorf("got %q, want the two oldest of the schema's gone", got)
	}
}

func TestALossThatIsConfirmedKeepsTheDataBefore(t *testing.T) {
	f := newFixture(t)
	f.enter(f.test, "first")
	f.write(core.BackendSchemaPath, strings.ReplaceAll(guestbook, `"text", "type": "text"`, `"other", "type": "number"`))
	if wrong := f.sync(); len(wrong) == 0 {
		t.Fatal("got no pending change")
	}
	f.wantReasons(f.test)
	status, err := f.Status(f.ctx, f.member, f.project)
	f.must(err)
	f.must(f.ApplyPending(f.ctx, f.member, f.project, status.Environments.Test.Pending.ID))
	f.wantReasons(f.test, core.SnapshotScheduled)
	f.write(core.BackendSchemaPath, guestbook)
	f.must(f.RestoreTestData(f.ctx, f.member, f.project, f.wantTestData(guestbook, first, true)))
	page, err := f.ListRecords(f.ctx, f.member, f.test, "entries", backend.RecordQuery{Limit: 10})
	f.must(err)
	if len(page.Records) != 1 || !strings.Contains(string(page.Records[0]), `"first"`) {
		t.Errorf("got %s, want the entry with its text", page.Records)
	}
}

func TestTestDataChangeTheirSchemaWithoutASnapshot(t *testing.T) {
	for name, spoil := range map[string]func(*fixture){
		"that cannot be made":     func(f *fixture) { f.flaky.snapshot = core.Errorf(core.CodeUnavailable, "the disk is slow") },
		"that would be too large": func(f *fixture) { f.flaky.bytes = 257 << 20 },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.enter(f.test, "first")
			spoil(f)
			f.grow()
			if wrong := f.sync(); len(wrong) > 0 {
				t.Errorf("got %v", wrong)
			}
			f.wantReasons(f.test)
			schema, err := f.flaky.Schema(f.ctx, f.test)
			f.must(err)
			if !strings.Contains(string(backends.TypesOf(schema)), "more: string") {
				t.Errorf("got the schema %+v, want the new one", schema)
			}
		})
	}
}

func TestARefusedSchemaLeavesNoSnapshot(t *testing.T) {
	f := newFixture(t)
	f.enter(f.test, "first")
	f.write(core.BackendSchemaPath, strings.ReplaceAll(guestbook, `"listRule": ""`, `"listRule": "nothing = 1"`))
	if wrong := f.sync(); len(wrong) == 0 {
		t.Fatal("got no diagnostic of a rule about a field that does not exist")
	}
	f.wantReasons(f.test)
}

func TestASnapshotFitsSchemaFilesThatSayTheSame(t *testing.T) {
	const entries = `{"name": "entries", "fields": [{"name": "text", "type": "text"}, {"name": "about", "type": "relation", "collection": "people", "maxSelect": 1}]}`
	const people = `{"name": "people", "fields": [{"name": "name", "type": "text", "min": 1}]}`
	schema := func(collections ...string) string {
		return `{"collections": [` + strings.Join(collections, ", ") + `]}`
	}
	f := newFixture(t)
	f.write(core.BackendSchemaPath, schema(entries, people))
	f.sync()
	_, err := f.CreateSnapshot(f.ctx, f.member, f.test)
	f.must(err)
	for what, c := range map[string]struct {
		file string
		fits bool
	}{
		"the same":                    {schema(entries, people), true},
		"another order":               {schema(people, entries), true},
		"other spaces":                {strings.ReplaceAll(schema(entries, people), " ", "\n\t"), true},
		"a given id":                  {strings.ReplaceAll(schema(entries, people), `"name": "people"`, `"id": "abc", "name": "people"`), true},
		"a former name":               {strings.ReplaceAll(schema(entries, people), `"name": "people"`, `"name": "people", "renamedFrom": "men"`), true},
		"an idle option":              {strings.ReplaceAll(schema(entries, people), `"min": 1`, `"min": 1, "required": false`), true},
		"a field less":                {schema(strings.ReplaceAll(entries, `{"name": "text", "type": "text"}, `, ""), people), false},
		"another type":                {strings.ReplaceAll(schema(entries, people), `"text", "type": "text"`, `"text", "type": "number"`), false},
		"another option":              {strings.ReplaceAll(schema(entries, people), `"min": 1`, `"min": 2`), false},
		"another rule":                {schema(strings.ReplaceAll(entries, `"fields"`, `"listRule": "", "fields"`), people), false},
		"another relation":            {schema(strings.ReplaceAll(entries, `"people"`, `"entries"`), people), false},
		"a collection more":           {schema(entries, people, `{"name": "more", "fields": []}`), false},
		"something that is no schema": {`{"collections": 1}`, false},
		"a relation to nowhere":       {schema(entries), false},
	} {
		t.Log(what)
		f.wantTestData(c.file, first, c.fits)
	}
	_, err = f.TestDataWith(f.ctx, f.nobody, f.project, []byte(guestbook), first)
	f.wantCode(err, core.CodeNotFound)
}

func TestTheOldestSnapshotCanBeRestored(t *testing.T) {
	f := newFixture(t)
	f.enter(f.test, "first")
	made, err := f.CreateSnapshot(f.ctx, f.member, f.test)
	f.must(err)
	for range core.MaxAutomaticSnapshots {
		f.now = f.now.Add(time.Second)
		f.must(f.RestoreSnapshot(f.ctx, f.member, f.test, made.ID))
	}
	found, err := f.ListSnapshots(f.ctx, f.member, f.test)
	f.must(err)
	oldest := found[core.MaxAutomaticSnapshots-1]
	f.now = f.now.Add(time.Second)
	f.must(f.RestoreSnapshot(f.ctx, f.member, f.test, oldest.ID))
	f.wantEntries(f.test, 1)
	f.wantCode(f.RestoreSnapshot(f.ctx, f.member, f.test, oldest.ID), core.CodeNotFound)
}
