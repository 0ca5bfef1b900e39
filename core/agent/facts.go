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
	if err != nil || json.Unmarshal(content, &manifest) != nil {
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
