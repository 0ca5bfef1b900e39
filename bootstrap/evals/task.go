package evals

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// Task is a request to the agent, with the means to judge whether it was carried out.
// testdata/evals/README.md describes the fields.
type Task struct {
	Name     string    `json:"name"`
	About    string    `json:"about"`
	Template string    `json:"template"`
	Mode     string    `json:"mode"`
	Changes  string    `json:"changes"`
	Prompt   string    `json:"prompt"`
	Packages []Package `json:"packages"`
	Checks   []Check   `json:"checks"`

	// files are added to the template, by path.
	files map[string][]byte
}

// Package is a package that projects can install.
type Package struct {
	Name    string            `json:"name"`
	Version string            `json:"version"`
	Files   map[string]string `json:"files"`
}

// The values of Task.Changes.
const (
	changesSome = "some"
	changesNone = "none"
)

const (
	taskFile  = "task.json"
	filesRoot = "files"
)

// Load reads the tasks below a folder, sorted by name. A malformed task is an error that
// names it.
func Load(folder fs.FS) ([]Task, error) {
	entries, err := fs.ReadDir(folder, ".")
	if err != nil {
		return nil, fmt.Errorf("the tasks cannot be read: %w", err)
	}
	var tasks []Task
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		task, err := loadTask(folder, entry.Name())
		if err != nil {
			return nil, fmt.Errorf("task %s: %w", entry.Name(), err)
		}
		tasks = append(tasks, task)
	}
	if len(tasks) == 0 {
		return nil, errors.New("there is no task: a task is a folder with a " + taskFile)
	}
	return tasks, nil
}

func loadTask(folder fs.FS, name string) (Task, error) {
	raw, err := fs.ReadFile(folder, name+"/"+taskFile)
	if err != nil {
		return Task{}, err
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	task := Task{Mode: core.ModeBuild}
	if err := decoder.Decode(&task); err != nil {
		return Task{}, fmt.Errorf("%s: %w", taskFile, err)
	}
	if task.Changes == "" {
		task.Changes = changesNone
		if task.Mode == core.ModeBuild {
			task.Changes = changesSome
		}
	}
	task.files, err = loadFiles(folder, name+"/"+filesRoot)
	if err != nil {
		return Task{}, err
	}
	return task, task.validate(name)
}

// loadFiles reads all files below root, none if it does not exist.
func loadFiles(folder fs.FS, root string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(folder, root, func(name string, entry fs.DirEntry, err error) error {
		if name == root && errors.Is(err, fs.ErrNotExist) {
			return fs.SkipAll
		}
		if err != nil || entry.IsDir() {
			return err
		}
		files[strings.TrimPrefix(name, root+"/")], err = fs.ReadFile(folder, name)
		return err
	})
	return files, err
}

func (t Task) validate(folder string) error {
	switch {
	case t.Name != folder:
		return fmt.Errorf("its name is %q, not that of its folder", t.Name)
	case t.Template == "":
		return errors.New("template is missing")
	case !slices.Contains([]string{core.ModeBuild, core.ModePlan, core.ModeChat}, t.Mode):
		return fmt.Errorf("there is no mode %q", t.Mode)
	case t.Changes != changesSome && t.Changes != changesNone:
		return fmt.Errorf("changes is %q, but must be %s or %s", t.Changes, changesSome, changesNone)
	case len(t.Checks) == 0:
		return errors.New("it has no checks")
	}
	if err := core.CheckMessage(t.Prompt); err != nil {
		return fmt.Errorf("prompt: %w", err)
	}
	for path := range t.files {
		if _, err := core.ParsePath(path); err != nil {
			return fmt.Errorf("files: %w", err)
		}
	}
	for i, check := range t.Checks {
		if err := check.validate(); err != nil {
			return fmt.Errorf("checks[%d]: %w", i, err)
		}
	}
	return nil
}

// Select returns the tasks with the given names, separated by commas; all of them
// for "".
func Select(tasks []Task, only string) ([]Task, error) {
	if only == "" {
		return tasks, nil
	}
	var chosen []Task
	for name := range strings.SplitSeq(only, ",") {
		name = strings.TrimSpace(name)
		at := slices.IndexFunc(tasks, func(task Task) bool { return task.Name == name })
		if at < 0 {
			names := make([]string, len(tasks))
			for i, task := range tasks {
				names[i] = task.Name
			}
			return nil, fmt.Errorf("there is no task %q; the tasks are %s", name, strings.Join(names, ", "))
		}
		chosen = append(chosen, tasks[at])
	}
	return chosen, nil
}
