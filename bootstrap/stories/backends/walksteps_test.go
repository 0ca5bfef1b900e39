package backends_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// The names and types from which the walk chooses. They are few, so that they come again.
var (
	collectionNames = []string{"a", "b", "c"}
	fieldNames      = []string{"f1", "f2", "f3", "f4"}
	fieldKinds      = []string{"text", "number", "bool", "file"}
)

func (w *walk) one(of []string) string { return of[w.random.IntN(len(of))] }

// unused returns a name that no other has, "" if there is none.
func (w *walk) unused(names []string, present []declaredPart) string {
	free := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.ContainsFunc(present, func(d declaredPart) bool { return d.name == name })
	})
	if len(free) == 0 {
		return ""
	}
	return w.one(free)
}

func (w *walk) saveSchema() {
	w.undoable = nil
	w.Put(core.BackendSchemaPath, w.schemaText())
}

func (w *walk) savePage() {
	w.made++
	w.page = fmt.Sprintf("<!doctype html><title>page</title><p>page %d.</p>", w.made)
	w.Put("index.html", w.page)
}

func (w *walk) breakSchema() {
	w.broken = true
	w.saveSchema()
}

// changeSchema changes the collections, or the fields of one.
func (w *walk) changeSchema() {
	w.broken = false
	w.file = cloneDeclared(w.file)
	if len(w.file) == 0 || w.random.IntN(4) == 0 {
		w.file = w.changed(w.file, collectionNames, func(name string) declaredPart {
			return declaredPart{name: name, kind: "base", fields: []declaredPart{{name: w.one(fieldNames), kind: w.one(fieldKinds)}}}
		})
	} else {
		at := w.random.IntN(len(w.file))
		w.file[at].fields = w.changed(w.file[at].fields, fieldNames, func(name string) declaredPart {
			return declaredPart{name: name, kind: w.one(fieldKinds)}
		})
	}
	w.note("  %s", w.schemaText())
	w.saveSchema()
}

// changed adds, drops, renames, exchanges or bounds.
func (w *walk) changed(all []declaredPart, names []string, fresh func(name string) declaredPart) []declaredPart {
	free := w.unused(names, all)
	if len(all) == 0 {
		return append(all, fresh(free))
	}
	at := w.random.IntN(len(all))
	switch choice := w.random.IntN(6); {
	case choice < 2 && free != "":
		return append(all, fresh(free))
	case choice == 2:
		return slices.Delete(all, at, at+1)
	case choice == 3 && free != "":
		all[at].name, all[at].renamedFrom = free, all[at].name
	case choice == 4 && len(all) > 1:
		other := (at + 1) % len(all)
		all[at].renamedFrom, all[other].renamedFrom = all[at].name, all[other].name
		all[at].name, all[other].name = all[other].name, all[at].name
	case all[at].kind == "text":
		all[at].max = 5 * w.random.IntN(3)
	}
	return all
}

// confirm confirms what is pending.
func (w *walk) confirm() {
	pending := w.status().Environments.Test.Pending
	if pending == nil {
		w.Refused(http.StatusConflict, core.CodeConflict, http.MethodPost, w.Path("/backend/test/apply"), storytest.Fields{"planId": core.NewID()})
		return
	}
	w.Must(http.StatusOK, http.MethodPost, w.Path("/backend/test/apply"), storytest.Fields{"planId": pending.ID}, nil)
	w.envs[core.DataTest].become(w.nextTest())
}

// publish publishes what loses no live data; the rest is refused. While a change of test data
// waits for a yes, or the file is wrong, nothing is published.
func (w *walk) publish() { w.release(false) }

func (w *walk) publishAccepting() { w.release(true) }

func (w *walk) release(accepts bool) {
	w.T.Helper()
	w.syncTest()
	live := w.envs[core.DataLive]
	request := storytest.Fields{}
	switch {
	case w.broken, w.envs[core.DataTest].loses(w.nextTest()):
		w.Refused(http.StatusUnprocessableEntity, core.CodeBuildFailed, http.MethodPost, w.Path("/publish"), request)
		return
	case live != nil && live.loses(w.next(core.DataLive)):
		plan := w.refusedPlan(request)
		if !accepts {
			return
		}
		request["acceptDataLoss"] = plan.ID
	}
	var published struct{ URL string }
	w.Must(http.StatusOK, http.MethodPost, w.Path("/publish"), request, &published)
	if live == nil {
		live = &environ{}
	}
	live.become(w.next(core.DataLive))
	w.envs[core.DataLive], w.site, w.shown = live, published.URL, w.page[len("<!doctype html><title>page</title>"):]
	var all struct{ Items []core.Deployment }
	w.Must(http.StatusOK, http.MethodGet, w.Path("/deployments"), nil, &all)
	w.deployments = append(w.deployments, deployment{all.Items[0].ID, w.shown})
}

// rollBack shows an earlier page. The live data stays as it is.
func (w *walk) rollBack() {
	to := w.deployments[w.random.IntN(len(w.deployments))]
	if to.page == w.shown {
		return
	}
	w.Must(http.StatusOK, http.MethodPost, w.Path("/deployments/"+string(to.id)+"/rollback"), nil, nil)
	w.shown = to.page
}

// saveVersion commits what was edited.
func (w *walk) saveVersion() {
	got := w.Do(http.MethodPost, w.Path("/versions"), storytest.Fields{"message": "A point"})
	if got.Status == http.StatusConflict {
		return // nothing was edited
	}
	var made core.Version
	if err := json.Unmarshal(got.Body, &made); err != nil || got.Status != http.StatusCreated {
		w.T.Fatalf("got %d %s, want a version", got.Status, got.Body)
	}
	w.versions = append(w.versions, version{made.ID, w.page, w.file, w.broken})
}

// restoreVersion brings the files back. Live data stays as it is, and test data follows the schema.
func (w *walk) restoreVersion() {
	to := w.versions[w.random.IntN(len(w.versions))]
	got := w.Do(http.MethodPost, w.Path("/versions/"+to.sha+"/restore"), nil)
	if got.Status == http.StatusConflict {
		w.note("  refused: %s", got.Body)
		return // the files are as they were then
	}
	if got.Status/100 != 2 {
		w.T.Fatalf("got %d %s, want the version restored", got.Status, got.Body)
	}
	w.page, w.file, w.broken, w.undoable = to.page, to.file, to.broken, nil
}

// variants are schemas that the agent writes, by the message that asks for them.
func variants() map[string][]declaredPart {
	all := map[string][]declaredPart{}
	for i, kinds := range [][]string{{"text", "number"}, {"bool"}, {"number", "text", "file"}, {"file", "bool", "text"}} {
		schema := declaredPart{name: collectionNames[i%2], kind: "base"}
		for n, kind := range kinds {
			schema.fields = append(schema.fields, declaredPart{name: fieldNames[n], kind: kind})
		}
		all[fmt.Sprintf("Write schema %d.", i)] = []declaredPart{schema}
	}
	return all
}

// screenplay is the agent of the walk.
func screenplay() *storytest.Screenplay {
	scripts := map[string][]storytest.ToolCall{}
	for message, schema := range variants() {
		scripts[message] = []storytest.ToolCall{
			storytest.Calls("read_file", "path", core.BackendSchemaPath),
			storytest.Calls("write_file", "path", core.BackendSchemaPath, "content", (&walk{file: schema}).schemaText()),
		}
	}
	return &storytest.Screenplay{Scripts: scripts}
}

// askAgent lets the agent write another schema.
func (w *walk) askAgent() {
	all := variants()
	message := w.one(slices.Sorted(maps.Keys(all)))
	before := version{file: w.file, broken: w.broken}
	if w.mute || (&walk{file: all[message]}).schemaText() == w.schemaText() {
		return
	}
	w.note("  %s", message)
	before.sha = w.Run(message)
	w.file, w.broken, w.undoable = all[message], false, &before
	w.versions = append(w.versions, version{before.sha, w.page, w.file, false})
}

// undo takes back what the agent did, unless the schema was changed since.
func (w *walk) undo() {
	if w.undoable == nil {
		return
	}
	w.Must(http.StatusCreated, http.MethodPost, w.Path("/versions/"+w.undoable.sha+"/undo"), nil, nil)
	w.file, w.broken, w.undoable = w.undoable.file, w.undoable.broken, nil
}

// maxKept bounds the snapshots of the walk; there is a bound for people, too.
const maxKept = 5

func (w *walk) snapshot(env core.DataEnv) {
	path := w.Path("/backend/" + string(env) + "/snapshots")
	if all := w.snapshots[env]; len(all) == maxKept {
		w.Must(http.StatusNoContent, http.MethodDelete, path+"/"+string(all[0].id), nil, nil)
		w.snapshots[env] = all[1:]
	}
	var made core.DataSnapshot
	w.Must(http.StatusCreated, http.MethodPost, path, nil, &made)
	w.snapshots[env] = append(w.snapshots[env], snapshotState{made.ID, w.envs[env].clone()})
}

// restoreSnapshot brings data back, and then forward to the schema in force if that loses nothing.
func (w *walk) restoreSnapshot(env core.DataEnv) {
	all := w.snapshots[env]
	if len(all) == 0 {
		return
	}
	from, before := all[w.random.IntN(len(all))], w.envs[env]
	w.Must(http.StatusNoContent, http.MethodPost, w.Path("/backend/"+string(env)+"/snapshots/"+string(from.id)+"/restore"), nil, nil)
	restored := from.held.clone()
	w.envs[env] = restored
	if env == core.DataLive && !restored.loses(before.schema) {
		restored.become(before.schema)
	}
}

// writeRecords creates, changes and deletes records as a member does.
func (w *walk) writeRecords(env core.DataEnv) {
	held := w.envs[env]
	for range 1 + w.random.IntN(3) {
		if len(held.schema) == 0 {
			return
		}
		collection := held.schema[w.random.IntN(len(held.schema))]
		path := w.of(env, collection.name, "records")
		rows := held.rows[collection.id]
		ids := slices.Sorted(maps.Keys(rows))
		body, wanted := w.record(collection)
		switch choice := w.random.IntN(4); {
		case len(ids) > 0 && choice == 0:
			id := ids[w.random.IntN(len(ids))]
			w.Must(http.StatusNoContent, http.MethodDelete, path+"/"+id, nil, nil)
			delete(rows, id)
		case len(ids) > 0 && choice == 1:
			id := ids[w.random.IntN(len(ids))]
			changed := maps.Clone(rows[id])
			maps.Copy(changed, wanted)
			if collection.refuses(changed) {
				w.Must(http.StatusBadRequest, http.MethodPatch, path+"/"+id, body, nil)
				continue
			}
			w.Must(http.StatusOK, http.MethodPatch, path+"/"+id, body, nil)
			rows[id] = changed
		default:
			var made object
			w.Must(http.StatusCreated, http.MethodPost, path, body, &made)
			rows[made["id"].(string)] = wanted
		}
	}
}

// record is a record with a value in some fields, and what its fields then hold.
func (w *walk) record(of livePart) (any, values) {
	wanted, plain, attached := values{}, object{}, ""
	for _, field := range of.fields {
		w.made++
		if w.random.IntN(4) == 0 {
			continue
		}
		switch field.kind {
		case "text":
			text := fmt.Sprintf("%07d", w.made)
			if field.max > 0 {
				text = text[:min(len(text), field.max)]
			}
			plain[field.name], wanted[field.id] = text, text
		case "number":
			plain[field.name], wanted[field.id] = w.made, float64(w.made)
		case "bool":
			plain[field.name], wanted[field.id] = true, true
		case "file":
			if attached == "" {
				attached, wanted[field.id] = field.name, fmt.Sprintf("file %d", w.made)
			}
		}
	}
	if attached == "" {
		return plain, wanted
	}
	pairs := []string{}
	for name, value := range plain {
		pairs = append(pairs, name, fmt.Sprint(value))
	}
	file := fmt.Sprintf("file %d", w.made)
	for _, field := range of.fields {
		if field.name == attached {
			wanted[field.id] = file
		}
	}
	return formWith(w.T, attached, []byte(file), pairs...), wanted
}
