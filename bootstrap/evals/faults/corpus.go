package faults

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// Project is a project whose checks pass, and changes of it.
type Project struct {
	Name string
	// Template is what the project is made from. Files are laid over it; its checks are among them.
	Template string
	Files    map[string]string
	Faults   []Change
	Sound    []Change
}

// Change is what a run of the agent does to a project.
type Change struct {
	// Name is unique in its project. About says what is different, in a sentence.
	Name, About string
	// Catcher is the name of the check that must fail, or Smoke. A sound change has none.
	Catcher string
	Edits   []Edit
}

// Smoke is the catcher of faults that the look at the first page at the end of a run finds.
const Smoke = "smoke"

// Edit replaces lines that occur once in a file, also as parts of others: the tool of the agent
// makes the same demand.
type Edit struct{ Path, Old, New string }

// Load reads the projects in a folder, sorted by name.
func Load(root fs.FS) ([]Project, error) {
	folders, err := fs.ReadDir(root, ".")
	if err != nil {
		return nil, err
	}
	var found []Project
	for _, folder := range folders {
		if !folder.IsDir() {
			continue
		}
		below, err := fs.Sub(root, folder.Name())
		if err != nil {
			return nil, err
		}
		project, err := loadProject(below, folder.Name())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", folder.Name(), err)
		}
		found = append(found, project)
	}
	return found, nil
}

func loadProject(root fs.FS, name string) (Project, error) {
	project := Project{Name: name, Files: map[string]string{}}
	template, err := fs.ReadFile(root, "template")
	if err != nil {
		return project, err
	}
	project.Template = strings.TrimSpace(string(template))
	for folder, target := range map[string]string{"files": "", "checks": core.CheckFolder} {
		texts, err := readAll(root, folder)
		if err != nil {
			return project, err
		}
		for file, text := range texts {
			project.Files[path.Join(target, file)] = text
		}
	}
	if project.Faults, err = loadChanges(root, "faults"); err != nil {
		return project, err
	}
	if project.Sound, err = loadChanges(root, "sound"); err != nil {
		return project, err
	}
	for _, change := range slices.Concat(project.Faults, project.Sound) {
		if err := project.examine(change); err != nil {
			return project, fmt.Errorf("%s: %w", change.Name, err)
		}
	}
	return project, nil
}

// examine refuses a fault without a catcher, and a catcher that does not exist.
func (p Project) examine(change Change) error {
	isFault := slices.ContainsFunc(p.Faults, func(c Change) bool { return c.Name == change.Name })
	_, isCheck := p.Files[path.Join(core.CheckFolder, change.Catcher+".json")]
	switch {
	case isFault && change.Catcher != Smoke && !isCheck:
		return fmt.Errorf("there is no check %q to catch it", change.Catcher)
	case !isFault && change.Catcher != "":
		return fmt.Errorf("nothing may catch it, because it is sound")
	}
	return nil
}

// readAll reads the files below a folder, which may be missing.
func readAll(root fs.FS, folder string) (map[string]string, error) {
	texts := map[string]string{}
	if _, err := fs.Stat(root, folder); err != nil {
		return texts, nil
	}
	below, err := fs.Sub(root, folder)
	if err != nil {
		return nil, err
	}
	return texts, fs.WalkDir(below, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(below, name)
		texts[name] = string(text)
		return err
	})
}

func loadChanges(root fs.FS, folder string) ([]Change, error) {
	texts, err := readAll(root, folder)
	if err != nil {
		return nil, err
	}
	var changes []Change
	for file, text := range texts {
		change, err := parseChange(text)
		if err != nil {
			return nil, fmt.Errorf("%s/%s: %w", folder, file, err)
		}
		change.Name = strings.TrimSuffix(file, ".txt")
		changes = append(changes, change)
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Name, b.Name) })
	return changes, nil
}

// parseChange reads the text of a change: what is different, what catches it, and then files with
// the lines that go (-) and those that come instead (+).
func parseChange(text string) (change Change, err error) {
	const catcher = "caught by: "
	var at string
	var old, added []string
	end := func() {
		if len(old) > 0 {
			change.Edits = append(change.Edits, Edit{Path: at, Old: strings.Join(old, "\n"), New: strings.Join(added, "\n")})
		} else if len(added) > 0 {
			err = fmt.Errorf("lines are added in %s, but nothing says where", at)
		}
		old, added = nil, nil
	}
	for n, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		switch {
		case n == 0:
			change.About = line
		case strings.HasPrefix(line, catcher):
			change.Catcher = strings.TrimPrefix(line, catcher)
		case strings.HasPrefix(line, "-"):
			if len(added) > 0 {
				end()
			}
			old = append(old, line[1:])
		case strings.HasPrefix(line, "+"):
			added = append(added, line[1:])
		default:
			if end(); line != "" {
				at = line
			}
		}
	}
	end()
	if err == nil && (change.About == "" || len(change.Edits) == 0 || at == "") {
		err = fmt.Errorf("it needs a sentence, a path and at least one line that goes")
	}
	return change, err
}

// applied returns the text of a file after an edit.
func (e Edit) applied(text string) (string, error) {
	if count := strings.Count(text, e.Old); count != 1 {
		return "", fmt.Errorf("%s: the lines that go occur %d times, want once:\n%s", e.Path, count, e.Old)
	}
	return strings.Replace(text, e.Old, e.New, 1), nil
}

// Select keeps the projects and changes that are named, as project or project/change.
func Select(projects []Project, names []string) []Project {
	var kept []Project
	for _, project := range projects {
		if !slices.Contains(names, project.Name) {
			unnamed := func(c Change) bool { return !slices.Contains(names, project.Name+"/"+c.Name) }
			project.Faults = slices.DeleteFunc(slices.Clone(project.Faults), unnamed)
			project.Sound = slices.DeleteFunc(slices.Clone(project.Sound), unnamed)
		}
		if len(project.Faults)+len(project.Sound) > 0 {
			kept = append(kept, project)
		}
	}
	return kept
}
