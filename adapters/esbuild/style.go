package esbuild

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/atelierhq/atelier/adapters/esbuild/project"
	"github.com/atelierhq/atelier/ports/build"
)

// nsStub holds the script in front of a style sheet with local names.
const nsStub = "stub"

func (t *transform) hasLocalNames() bool {
	return t.id.suffix == "" && t.id.namespace != nsLink && project.LoaderOf(t.id.name) == api.LoaderLocalCSS
}

// labelled leads to a style sheet with local names. Each is made alone, so esbuild
// cannot keep the names of two apart: they begin with a name that no other has.
func (t *transform) labelled(id moduleID) api.OnResolveResult {
	result := api.OnResolveResult{Path: id.name, Namespace: id.namespace, Suffix: id.suffix}
	if id.namespace == project.NsProject && project.LoaderOf(id.name) == api.LoaderLocalCSS {
		sum := sha256.Sum256([]byte(id.name))
		stem := project.NotInIdentifier.ReplaceAllString(strings.TrimSuffix(path.Base(id.name), ".module.css"), "_")
		result.Path += fmt.Sprintf("%s%s_%x.css", project.LabelSign, stem, sum[:3])
	}
	return result
}

// makeStyle makes a module that puts a style sheet into the page, or the style
// sheet itself when a page links it.
func makeStyle(ctx context.Context, p *project.Project, id moduleID) (*module, []api.Message, error) {
	sheet, key := compiledSheet(p, id)
	if printed, found := p.Printed.Get(key); found && key != "" {
		return styleModule(id, addressOf(p, id), printed), nil, nil
	}
	t := newTransform(sheet, id)
	out, messages, err := project.Run(ctx, t.options())
	if err != nil || len(messages) > 0 {
		return nil, messages, err
	}
	css := string(out.Files[project.Transformed+".css"])
	if key != "" {
		p.Printed.Put(key, css)
	}
	made := styleModule(id, addressOf(p, id), css)
	for _, name := range slices.Sorted(maps.Keys(out.Files)) {
		if strings.HasPrefix(name, "assets/") {
			made.files = append(made.files, build.File{Path: name, Content: out.Files[name], Immutable: true})
		}
	}
	if t.hasLocalNames() {
		made.exportNames(localNames(out.Files[project.Transformed+".js"]))
	}
	return made, nil, nil
}

// styleModule is the module of a style sheet that exports nothing by name.
func styleModule(id moduleID, address, css string) *module {
	made := &module{id: id, address: address, exports: []string{"default"}}
	if id.namespace == nsLink {
		made.code = []byte(css)
		return made
	}
	made.style = &css
	made.code = []byte("export default {};\n")
	return made
}

// compiledSheet makes plain CSS of a sheet ahead of esbuild, and returns the project with
// that in its place, and the key of what esbuild prints of it. Most changes of a
// project change no class, and then esbuild would print the same again. The key is ""
// for sheets that lead to other files, or are no plain CSS.
func compiledSheet(p *project.Project, id moduleID) (sheet *project.Project, key string) {
	if id.suffix != "" || id.namespace != project.NsProject && id.namespace != nsLink || project.LoaderOf(id.name) != api.LoaderCSS {
		return p, ""
	}
	text, err := p.Src.Read(id.name, project.MaxModuleBytes)
	if err != nil {
		return p, ""
	}
	if problem, _ := project.TooDeep(text); problem != "" {
		return p, ""
	}
	css, messages := p.Styles(p, id.name, text)
	made := *p
	made.Styles = func(own *project.Project, name string, text []byte) ([]byte, []api.Message) {
		if name == id.name {
			return css, messages
		}
		return p.Styles(own, name, text)
	}
	if len(messages) > 0 || otherFiles.Match(css) {
		return &made, ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %q %q %s", p.Mode, id.name, p.Settings, css))
	return &made, string(sum[:])
}

// otherFiles matches what leads from a style sheet to other files.
var otherFiles = regexp.MustCompile(`(?i)@import|url\(|src\(|image-set\(`)

// localName finds the members of the object that esbuild prints for a style sheet.
var localName = regexp.MustCompile(`(?m)^  ("(?:[^"\\]|\\.)*"|[^\s":]+): ("(?:[^"\\]|\\.)*"),?$`)

// localNames reads the names that a style sheet exports, with the classes that
// stand for them.
func localNames(script []byte) map[string]string {
	names := make(map[string]string)
	for _, match := range localName.FindAllSubmatch(script, -1) {
		name, class := string(match[1]), ""
		if match[1][0] == '"' && json.Unmarshal(match[1], &name) != nil || json.Unmarshal(match[2], &class) != nil {
			continue
		}
		names[name] = class
	}
	return names
}

// exportNames makes the module export an object of the names, and by themselves
// those that may stand for a value.
func (m *module) exportNames(names map[string]string) {
	values := make(map[string]any, len(names))
	for name, class := range names {
		values[name] = class
	}
	code := fmt.Appendf(nil, "export default %s;\n", project.JSONText(values))
	for i, name := range slices.Sorted(maps.Keys(names)) {
		if project.Identifier.MatchString(name) && name != "default" {
			code = fmt.Appendf(code, "const _%d = %s;\nexport { _%d as %s };\n", i, project.JSONText(names[name]), i, name)
			m.exports = append(m.exports, name)
		}
	}
	m.code = code
	slices.Sort(m.exports)
}
