package backends_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// Flags of the walk. Without a seed each run takes another.
var (
	walkSteps = flag.Int("steps", 40, "how many steps a random walk over schemas, releases and snapshots has")
	walkSeed  = flag.Uint64("seed", 0, "the seed of the random walk")
)

// TestARandomWalkEndsWhereTheModelDoes changes schemas and records, publishes, rolls back,
// restores and undoes at random. After each step the files, the schemas and all records of both
// environments are those of a model.
func TestARandomWalkEndsWhereTheModelDoes(t *testing.T) {
	t.Parallel()
	seed := *walkSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	for name, program := range storytest.Programs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWalk(storytest.Serve(t, t.TempDir(), program.Make, storytest.Merged(program.Env(t), screenplay().Env(t), map[string]string{"BACKEND_REQUESTS_PER_SECOND": "100000"})).SignUp(), seed)
			w.mute = name == "inmemory" // its model has one script
			defer func() {
				if t.Failed() {
					t.Logf("-seed %d\n%s", seed, strings.Join(w.log, "\n"))
				}
			}()
			for range *walkSteps {
				w.step()
				w.check()
				if t.Failed() {
					return
				}
			}
			t.Logf("seed %d: %v", seed, w.taken)
		})
	}
}

// walk is a project beside its model.
type walk struct {
	*book
	random        *rand.Rand
	log           []string
	taken         map[string]int
	preview, site string

	// file is the schema file, page the page; versions are those of the history.
	file        []declaredPart
	broken      bool
	page        string
	versions    []version
	deployments []deployment
	// undoable is the agent's last version with the schema before it, nil if there is none.
	undoable *version
	// mute says that there is no agent.
	mute bool
	// envs are what the environments hold, snapshots what they held.
	envs      map[core.DataEnv]*environ
	snapshots map[core.DataEnv][]snapshotState
	// shown is the page that the site shows, and made how many things were made.
	shown string
	made  int
}

type version struct {
	sha, page string
	file      []declaredPart
	broken    bool
}

type deployment struct {
	id   core.ID
	page string
}

type snapshotState struct {
	id   core.ID
	held *environ
}

func newWalk(c *storytest.Caller, seed uint64) *walk {
	w := &walk{
		book: &book{c.Create(storytest.Template)}, random: rand.New(rand.NewPCG(seed, 0)), taken: map[string]int{},
		envs: map[core.DataEnv]*environ{}, snapshots: map[core.DataEnv][]snapshotState{},
	}
	w.file = []declaredPart{{name: "a", kind: "base", fields: []declaredPart{{name: "f1", kind: "text"}, {name: "f2", kind: "number"}}}}
	w.savePage()
	w.saveSchema()
	w.preview = w.Preview(w.Caller)
	w.saveVersion()
	w.publish()
	w.check()
	return w
}

// step takes one step at random.
func (w *walk) step() {
	w.T.Helper()
	steps := map[string]func(){
		"change the schema": w.changeSchema, "a broken schema": w.breakSchema, "a page": w.savePage, "confirm": w.confirm,
		"publish": w.publish, "publish and accept": w.publishAccepting, "roll back": w.rollBack,
		"a version": w.saveVersion, "restore a version": w.restoreVersion, "the agent": w.askAgent, "undo": w.undo,
		"a snapshot of test": func() { w.snapshot(core.DataTest) }, "a snapshot of live": func() { w.snapshot(core.DataLive) },
		"restore test": func() { w.restoreSnapshot(core.DataTest) }, "restore live": func() { w.restoreSnapshot(core.DataLive) },
		"records of test": func() { w.writeRecords(core.DataTest) }, "records of live": func() { w.writeRecords(core.DataLive) },
	}
	names := slices.Sorted(maps.Keys(steps))
	often := append(names, "change the schema", "change the schema", "change the schema", "records of test", "records of live", "publish")
	name := often[w.random.IntN(len(often))]
	w.taken[name]++
	w.note("%s", name)
	steps[name]()
}

func (w *walk) note(format string, args ...any) { w.log = append(w.log, fmt.Sprintf(format, args...)) }

// check compares the project with its model.
func (w *walk) check() {
	w.T.Helper()
	w.syncTest()
	state := w.status()
	if w.broken != (len(state.Diagnostics) > 0 && state.Environments.Test.Pending == nil) {
		w.T.Errorf("got the diagnostics %v, want %v", state.Diagnostics, w.broken)
	}
	if pending := !w.broken && w.envs[core.DataTest].loses(w.nextTest()); pending != (state.Environments.Test.Pending != nil) {
		w.T.Errorf("got %+v pending, want %v", state.Environments.Test.Pending, pending)
	}
	if got := w.Do(http.MethodGet, w.Path("/files/"+core.BackendSchemaPath), nil); string(got.Body) != w.schemaText() {
		w.T.Errorf("got the schema file %s, want %s", got.Body, w.schemaText())
	}
	if got := w.Do(http.MethodGet, w.Path("/files/index.html"), nil); string(got.Body) != w.page {
		w.T.Errorf("got the page %s, want %s", got.Body, w.page)
	}
	if got := w.Fetch(w.site); !strings.Contains(string(got.Body), w.shown) {
		w.T.Errorf("got %d %.300s on the site, want %q", got.Status, got.Body, w.shown)
	}
	for env, host := range map[core.DataEnv]string{core.DataTest: w.preview, core.DataLive: w.site} {
		w.checkEnv(env, host)
	}
	if w.T.Failed() {
		w.T.Logf("the model of test data:\n%s\nof live data:\n%s", w.envs[core.DataTest], w.envs[core.DataLive])
	}
}

// syncTest lets the model's test data follow the file.
func (w *walk) syncTest() {
	next := w.nextTest()
	switch test := w.envs[core.DataTest]; {
	case w.broken:
	case test == nil:
		w.envs[core.DataTest] = &environ{}
		w.envs[core.DataTest].become(next)
	case !test.loses(next):
		test.become(next)
	}
}

func (w *walk) nextTest() []livePart { return w.next(core.DataTest) }

// next is the schema to which the file brings an environment.
func (w *walk) next(env core.DataEnv) []livePart {
	if present := w.envs[env]; present != nil {
		return resolved(w.file, present.schema)
	}
	return resolved(w.file, nil)
}

// checkEnv compares the collections and records of an environment, as visitors read them.
func (w *walk) checkEnv(env core.DataEnv, host string) {
	w.T.Helper()
	want := w.envs[env]
	for _, name := range collectionNames {
		status, answer := w.list(host, name)
		at := slices.IndexFunc(want.schema, func(c livePart) bool { return c.name == name })
		if at < 0 {
			if status != http.StatusNotFound {
				w.T.Errorf("%s: got %d %v for %s, which is not there", env, status, answer, name)
			}
			continue
		}
		items, _ := answer["items"].([]any)
		rows := want.rows[want.schema[at].id]
		if status != http.StatusOK || len(items) != len(rows) {
			w.T.Errorf("%s: got %d %v for %s, want %v", env, status, answer, name, rows)
			continue
		}
		for _, item := range items {
			record, _ := item.(object)
			id, _ := record["id"].(string)
			w.checkRecord(env, host, want.schema[at], record, rows[id])
		}
	}
}

// list lists a collection as a visitor does.
func (w *walk) list(host, collection string) (int, object) {
	return w.book.page(host, http.MethodGet, "collections/"+collection+"/records?perPage=500", "", nil)
}

func (w *walk) checkRecord(env core.DataEnv, host string, of livePart, got object, want values) {
	w.T.Helper()
	if want == nil {
		w.T.Errorf("%s: got %v of %s, which nobody made", env, got, of.name)
		return
	}
	fields := map[string]bool{"id": true, "collectionId": true, "collectionName": true, "created": true, "updated": true}
	for _, field := range of.fields {
		fields[field.name] = true
		value, ok := want[field.id]
		if !ok {
			value = zero(field.kind)
		}
		present := got[field.name]
		if name, _ := present.(string); field.kind == "file" && name != "" {
			present = string(w.Fetch(fmt.Sprintf("%s/_data/files/%s/%s/%s", host, of.name, got["id"], name)).Body)
		}
		if present != value {
			w.T.Errorf("%s: got %v for %s.%s of %v, want %v", env, present, of.name, field.name, got["id"], value)
		}
	}
	for name := range got {
		if !fields[name] {
			w.T.Errorf("%s: got the field %s of %s, which is not in the schema", env, name, of.name)
		}
	}
}

// schemaText is the schema file.
func (w *walk) schemaText() string {
	if w.broken {
		return "{"
	}
	collections := []object{}
	for _, c := range w.file {
		one := object{"name": c.name, "listRule": "", "viewRule": "", "fields": fieldsText(c.fields)}
		if c.renamedFrom != "" {
			one["renamedFrom"] = c.renamedFrom
		}
		collections = append(collections, one)
	}
	text, _ := json.Marshal(object{"collections": collections})
	return string(text)
}

func fieldsText(fields []declaredPart) []object {
	all := []object{}
	for _, f := range fields {
		one := object{"name": f.name, "type": f.kind}
		if f.renamedFrom != "" {
			one["renamedFrom"] = f.renamedFrom
		}
		if f.max > 0 {
			one["max"] = f.max
		}
		all = append(all, one)
	}
	return all
}
