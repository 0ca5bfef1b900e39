package checks_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/process"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
)

// faultsRoot has the applications; its README.md describes them.
const faultsRoot = "../../../testdata/faults/"

// application is a project whose checks pass, and changes of its source.
type application struct {
	name          string
	files         map[string]string
	Faults, Sound []change
}

// change replaces a text that occurs once.
type change struct{ Name, Find, Replace string }

// sourcePath is the file that changes are about.
const sourcePath = "src/App.tsx"

func applications(t testing.TB) []application {
	t.Helper()
	folders, err := os.ReadDir(faultsRoot)
	must(t, err)
	var found []application
	for _, folder := range folders {
		if !folder.IsDir() {
			continue
		}
		app := application{name: folder.Name(), files: map[string]string{}}
		root := os.DirFS(path.Join(faultsRoot, app.name, "files"))
		must(t, readAll(root, app.files))
		text, err := os.ReadFile(path.Join(faultsRoot, app.name, "changes.json"))
		must(t, err)
		must(t, json.Unmarshal(text, &app))
		found = append(found, app)
	}
	return found
}

// checks are the names of the application's checks, in order.
func (a application) checks() (names []string) {
	for file := range a.files {
		if file != sourcePath {
			names = append(names, strings.TrimSuffix(path.Base(file), ".json"))
		}
	}
	slices.Sort(names)
	return names
}

// trial plays the checks of one application after changes of its source.
type trial struct {
	*storytest.Work
	app application
}

func newTrial(t testing.TB, service *process.Service, app application) *trial {
	t.Helper()
	w := (&storytest.Site{T: t, URL: service.URL, Client: storytest.LocalClient()}).SignUp().Create("blank")
	for file, content := range app.files {
		w.Put(file, content)
	}
	return &trial{w, app}
}

// change applies a change to the application's source.
func (f *trial) change(t testing.TB, c change) {
	t.Helper()
	source := f.app.files[sourcePath]
	if c.Find != "" && strings.Count(source, c.Find) != 1 {
		t.Fatalf("%s: %s: the text occurs %d times", f.app.name, c.Name, strings.Count(source, c.Find))
	}
	f.Put(sourcePath, strings.Replace(source, c.Find, c.Replace, 1))
}

// play plays checks, all if names is empty. It returns those that fail, with their messages, and how
// many were played.
func (f *trial) play(names ...string) (failing map[string]string, played int) {
	var answer struct {
		Items []struct {
			Name, Message string
			Passed        bool
		}
	}
	f.Must(http.StatusOK, http.MethodPost, f.Path("/checks/run"), map[string]any{"names": append([]string{}, names...)}, &answer)
	failing = map[string]string{}
	for _, item := range answer.Items {
		if !item.Passed {
			failing[item.Name] = item.Message
		}
	}
	return failing, len(answer.Items)
}

// failing returns the checks that fail after a change, with their messages.
func (f *trial) failing(t testing.TB, c change) map[string]string {
	t.Helper()
	f.change(t, c)
	failing, played := f.play()
	if played != len(f.app.checks()) {
		t.Fatalf("%s: %d checks were played, want %d", f.app.name, played, len(f.app.checks()))
	}
	return failing
}

// isCaught reports whether a check fails after a change. The checks after it are not played.
func (f *trial) isCaught(t testing.TB, c change) bool {
	t.Helper()
	f.change(t, c)
	for _, name := range f.app.checks() {
		failing, played := f.play(name)
		if played != 1 {
			t.Fatalf("%s: %d checks were played, want %s", f.app.name, played, name)
		}
		if len(failing) > 0 {
			return true
		}
	}
	return false
}

// TestPlantedFaultsFailChecks plays the checks of each application after one sound change and one
// fault. BenchmarkPlanted plays them after all changes.
func TestPlantedFaultsFailChecks(t *testing.T) {
	service := process.Start(t, process.Build(t), "BROWSING=on")
	for i, app := range applications(t) {
		t.Run(app.name, func(t *testing.T) {
			t.Parallel()
			trial, sound, fault := newTrial(t, service, app), app.Sound[i], app.Faults[i]
			if failing := trial.failing(t, sound); len(failing) > 0 {
				t.Errorf("%s: got %v, want no failing check", sound.Name, failing)
			}
			if !trial.isCaught(t, fault) {
				t.Errorf("%s: got no failing check, want one", fault.Name)
			}
		})
	}
}

// score is the result of all changes of one application.
type score struct {
	caught, alarms int
	// missed and refused say which faults the checks missed, and which sound changes they refused.
	missed, refused []string
}

// play plays the checks after each change of an application.
func play(t testing.TB, service *process.Service, app application) (made score) {
	t.Helper()
	trial := newTrial(t, service, app)
	for _, c := range app.Faults {
		if trial.isCaught(t, c) {
			made.caught++
		} else {
			made.missed = append(made.missed, c.Name)
		}
	}
	for _, c := range app.Sound {
		if failing := trial.failing(t, c); len(failing) > 0 {
			made.alarms++
			made.refused = append(made.refused, fmt.Sprintf("%s: %v", c.Name, failing))
		}
	}
	return made
}

// BenchmarkPlanted counts the faults that the checks miss, and the sound changes that they refuse.
// Two applications are played at a time: the browser has room for two pages. PLANTED names one
// application to play alone.
func BenchmarkPlanted(b *testing.B) {
	service := process.Start(b, process.Build(b), "BROWSING=on")
	for b.Loop() {
		var (
			group sync.WaitGroup
			mu    sync.Mutex
			all   score
		)
		places := make(chan struct{}, 2)
		for _, app := range applications(b) {
			if only := os.Getenv("PLANTED"); only != "" && only != app.name {
				continue
			}
			group.Go(func() {
				places <- struct{}{}
				defer func() { <-places }()
				made := play(b, service, app)
				mu.Lock()
				defer mu.Unlock()
				all.caught, all.alarms = all.caught+made.caught, all.alarms+made.alarms
				b.Logf("%s: caught %d of %d, refused %d of %d; missed %q, refused %q", app.name, made.caught, len(app.Faults), made.alarms, len(app.Sound), made.missed, made.refused)
			})
		}
		group.Wait()
		b.ReportMetric(float64(all.caught), "caught")
		b.ReportMetric(float64(all.alarms), "alarms")
	}
}

// readAll reads all files below a folder.
func readAll(root fs.FS, into map[string]string) error {
	return fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(root, name)
		into[name] = string(text)
		return err
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
