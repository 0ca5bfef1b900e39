package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent/tools"
)

// Bounds of what the prompt says of a project: names of packages, tokens, components and icons, of
// each kind.
const maxFactNames = 60

// Names in files of a project that the prompt repeats. Their shape keeps a file from saying
// anything else in the prompt.
var (
	packageName = regexp.MustCompile(`^(?:@[a-z0-9][a-z0-9._-]{0,40}/)?[a-z0-9][a-z0-9._-]{0,40}$`)
	themeToken  = regexp.MustCompile(`(?m)^\s*--color-([a-z][a-z0-9-]{0,40}):`)
	iconExport  = regexp.MustCompile(`(?m)^export (?:const|function) ([A-Z][A-Za-z0-9]{0,40})\b`)
	moduleName  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,40}$`)
)

// Where projects from templates have their components, icons and theme (shadcn/ui's places).
const (
	componentsDir = "src/components/ui"
	iconsFile     = "src/components/icons.tsx"
	themeFile     = "src/index.css"
)

// projectFacts lists what a project is made of, which saves a run its first steps: the runtime, the
// packages, the theme's tokens, the components and icons.
func projectFacts(ctx context.Context, project tools.Project) []topic {
	var facts []topic
	add := func(name, format string, names []string) {
		if len(names) > 0 {
			facts = append(facts, topic{name: name, text: fmt.Sprintf(format, strings.Join(names[:min(len(names), maxFactNames)], ", "))})
		}
	}
	installed, runtime := manifestOf(ctx, project)
	switch runtime {
	case "node":
		facts = append(facts, topic{name: topicRuntime, text: "- Its own tools (package.json's scripts) build it, with Node.js."})
	case "go", "static":
		facts = append(facts, topic{name: topicRuntime, text: "- Atelier itself builds it, whatever a configuration of Vite says."})
	}
	add(topicPackages, "- Packages: %s.", installed)
	if slices.Contains(installed, "tailwindcss") {
		add(topicStyles, "- Styles: Tailwind CSS. Colours of the theme in "+themeFile+", used as bg-card, text-muted-foreground: %s. Use them, and no other colours and no pixels.",
			namesIn(ctx, project, themeFile, themeToken))
	}
	add(topicComponents, "- Components in "+componentsDir+": %s. Use them before you write your own.", componentsOf(ctx, project))
	add(topicIcons, "- Icons in "+iconsFile+": %s.", namesIn(ctx, project, iconsFile, iconExport))
	return facts
}

// manifestOf returns the names of the packages in package.json, without declarations of types, and
// the runtime that it chooses, "" if it leaves that to Atelier (core/builds).
func manifestOf(ctx context.Context, project tools.Project) (names []string, runtime string) {
	content, _, err := project.Read(ctx, core.MustPath("package.json"))
	var manifest struct {
		Dependencies, DevDependencies map[string]string
		Atelier                       struct{ Runtime string }
	}
	if err != nil || json.Unmarshal(core.WithoutMark(content), &manifest) != nil {
		return nil, ""
	}
	names = slices.AppendSeq(slices.Collect(maps.Keys(manifest.Dependencies)), maps.Keys(manifest.DevDependencies))
	slices.Sort(names)
	names = slices.DeleteFunc(slices.Compact(names), func(name string) bool {
		return !packageName.MatchString(name) || strings.HasPrefix(name, "@types/")
	})
	return names, manifest.Atelier.Runtime
}

// namesIn returns what the pattern's group matches in a file.
func namesIn(ctx context.Context, project tools.Project, file string, pattern *regexp.Regexp) []string {
	content, _, err := project.Read(ctx, core.MustPath(file))
	if err != nil {
		return nil
	}
	var names []string
	for _, match := range pattern.FindAllSubmatch(content[:min(len(content), maxRulesBytes)], maxFactNames) {
		if name := string(match[1]); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// componentsOf returns the modules in the components' directory.
func componentsOf(ctx context.Context, project tools.Project) []string {
	entries, err := project.List(ctx)
	if err != nil {
		return nil
	}
	var names []string
	for _, entry := range entries {
		dir, file := path.Split(entry.Path.String())
		name := strings.TrimSuffix(file, path.Ext(file))
		if dir == componentsDir+"/" && moduleName.MatchString(name) {
			names = append(names, name)
		}
	}
	return names
}

// leastListWindow is the smallest window in which the prompt lists files and names the design guide.
const leastListWindow = 6144

// Bounds of what the prompt says of files: the paths of the list, of which more are listed by folders,
// and the paths of each kind of change.
const (
	maxListed  = 150
	maxChanges = 30
)

// plainName is the shape of the paths that the prompt repeats, so that none of them can say anything.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_@.+()\[\]/$~-]{1,120}$`)

// filesTopic lists the project's files, which saves each run a call.
func filesTopic(entries []core.FileEntry, room int) topic {
	return topic{name: topicFiles, text: filesHead + strings.Join(listed(entries), "\n"), whole: true, quiet: true, room: room}
}

const filesHead = "The project's files:\n"

// listed returns the paths of a project in order, or its folders with their numbers of files.
func listed(entries []core.FileEntry) []string {
	var paths []string
	for _, entry := range entries {
		if name := entry.Path.String(); plainName.MatchString(name) {
			paths = append(paths, name)
		}
	}
	if len(paths) <= maxListed {
		return paths
	}
	return tools.Folders(entries, maxListed)
}

// changesTopic tells what others have changed since the model's last answer; its text is "" if they have
// changed nothing. before is the list of files as it was then, since its time, and knows reports whether
// the model knows the present version of a file.
func changesTopic(entries []core.FileEntry, before []string, since core.Time, knows func(core.FileEntry) bool, room int) topic {
	now := listed(entries)
	var edited []string
	for _, entry := range entries {
		name := entry.Path.String()
		if since > 0 && entry.UpdatedAt > since && slices.Contains(before, name) && !knows(entry) {
			edited = append(edited, name)
		}
	}
	var lines []string
	add := func(what string, paths []string) {
		if len(paths) == 0 {
			return
		}
		line := "- " + what + ": " + strings.Join(paths[:min(len(paths), maxChanges)], ", ")
		if more := len(paths) - maxChanges; more > 0 {
			line += fmt.Sprintf(" and %d more", more)
		}
		lines = append(lines, line)
	}
	add("edited", edited)
	add("new", missingIn(before, now))
	add("gone", missingIn(now, before))
	if len(lines) == 0 {
		return topic{}
	}
	return topic{name: topicChanges, text: changesHead + strings.Join(lines, "\n"), passing: true, room: room}
}

const changesHead = "Since your last answer, others (people, by hand or by undoing, or the agent in another chat) have changed files. Read them before you rely on them:\n"

// missingIn returns the paths that a list lacks.
func missingIn(list, paths []string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return slices.Contains(list, path) })
}

// lastAnswer is the time of the newest event before the message that the run works on, 0 if there is none.
func lastAnswer(history []core.Event) core.Time {
	for i, event := range slices.Backward(history) {
		if _, is := event.Payload.(core.UserMessage); is && i > 0 {
			return history[i-1].CreatedAt
		}
	}
	return 0
}

// filesTopics returns what to tell of the files: the list, and what others have changed.
func (r *run) filesTopics(ctx context.Context) []topic {
	entries, err := r.task.Project.List(ctx)
	if err != nil || r.budget.window < leastListWindow {
		return nil
	}
	room := r.budget.bytes(r.budget.part(filesPercent))
	list := filesTopic(entries, room)
	if known, told := r.conversation.briefing.section(topicFiles); told {
		before := strings.Split(strings.TrimPrefix(known.Text, filesHead), "\n")
		if changes := changesTopic(entries, before, lastAnswer(r.task.History), r.executor.bench.Knows, room); changes.text != "" {
			return []topic{list, changes}
		}
	}
	return []topic{list}
}

// learnFiles notes the files as the run leaves them, so that the next one can tell what others change.
func (r *run) learnFiles(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	entries, err := r.task.Project.List(ctx)
	if err == nil {
		r.conversation.briefing.learn(filesTopic(entries, 0))
		err = r.storeBriefing(ctx)
	}
	if err != nil {
		r.log.InfoContext(ctx, "could not note the files at the end of a run", "error", err)
	}
}
