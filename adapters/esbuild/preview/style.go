package preview

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

// nsStub holds the script that imports a CSS module.
const nsStub = "stub"

func (t *transform) hasLocalNames() bool {
	return t.id.suffix == "" && t.id.namespace != nsLink && project.LoaderOf(t.id.name) == api.LoaderLocalCSS
}

// labelled resolves to a CSS module, a style sheet with local names. esbuild bundles each
// alone and cannot keep the names of two apart, so the names get a unique prefix.
func (t *transform) labelled(id moduleID) api.OnResolveResult {
	result := api.OnResolveResult{Path: id.name, Namespace: id.namespace, Suffix: id.suffix}
	if id.namespace == project.NsProject && project.LoaderOf(id.name) == api.LoaderLocalCSS {
		sum := sha256.Sum256([]byte(id.name))
		stem := project.NotInIdentifier.ReplaceAllString(strings.TrimSuffix(path.Base(id.name), ".module.css"), "_")
		result.Path += fmt.Sprintf("%s%s_%x.css", project.LabelSign, stem, sum[:3])
	}
	return result
}

// makeStyle makes a module that inserts a style sheet into the page, or the style sheet
// itself if a page links it.
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

// styleModule returns the module of a style sheet without named exports.
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

// compiledSheet compiles a sheet to plain CSS before esbuild. It returns the project with
// that text, and the cache key of esbuild's output for it. Most changes of a project
// change no class, and esbuild would print the same again. The key is "" for sheets that
// refer to other files or are no plain CSS.
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

// otherFiles matches references from a style sheet to other files.
var otherFiles = regexp.MustCompile(`(?i)@import|url\(|src\(|image-set\(`)

// localName matches the members of the object that esbuild prints for a style sheet.
var localName = regexp.MustCompile(`(?m)^  ("(?:[^"\\]|\\.)*"|[^\s":]+): ("(?:[^"\\]|\\.)*"),?$`)

// localNames parses the names that a style sheet exports, with their classes.
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

// exportNames makes the module export an object of the names, and each name that is a
// valid identifier.
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
