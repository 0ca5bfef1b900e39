package preview

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/atelierhq/atelier/adapters/esbuild/project"
)

// A browser refuses a whole page when one of its modules imports a name that another does
// not export, and hardly explains why. So this file compares imports with exports, as a
// bundler does.

// linkage is what a module imports by name and what it re-exports.
type linkage struct {
	imports []importedNames
	// stars are the addresses of the project's modules that it re-exports with export *.
	stars []string
	// open means that it re-exports a whole package, so its exports are unknown.
	open bool
	// locals are the names that it exports, as they are called inside.
	locals []string
}

// importedNames is one import: the imported names, with their local names.
type importedNames struct {
	address string
	names   map[string]string
}

// linkStatement matches an import of another module, or an export * of one, as esbuild
// prints them.
var linkStatement = regexp.MustCompile(`^(?:import (?:([\w$]+)(?:, )?)?(?:\* as [\w$]+|\{([^}]*)\})? ?from |export (\*) from )"([^"]+)";`)

// readLinkage parses a module as esbuild printed it.
func readLinkage(script []byte, read scriptOutline) linkage {
	l := linkage{open: bytes.Contains(script, []byte("\n__reExport("))}
	for i, start := range read.starts {
		if !bytes.HasPrefix(script[start:], []byte("import ")) && !bytes.HasPrefix(script[start:], []byte("export ")) {
			continue
		}
		if clause := exportClause.FindStringSubmatch(read.statement(i)); clause != nil {
			exported := make(map[string]string)
			readExports(clause[1], exported)
			for _, local := range exported {
				l.locals = append(l.locals, local)
			}
			continue
		}
		if match := linkStatement.FindSubmatch(script[start:]); match != nil {
			l.add(string(match[1]), string(match[2]), len(match[3]) > 0, string(match[4]))
		}
	}
	return l
}

func (l *linkage) add(whole, clause string, star bool, target string) {
	address, own := strings.CutSuffix(target, versionQuery+versionSign)
	switch {
	case star && own:
		l.stars = append(l.stars, address)
	case star:
		l.open = true
	case own:
		l.imports = append(l.imports, importedNames{address, namesIn(whole, clause)})
	}
}

// namesIn returns the imported names, with their local names.
func namesIn(whole, clause string) map[string]string {
	names := make(map[string]string)
	if whole != "" {
		names["default"] = whole
	}
	for specifier := range strings.SplitSeq(clause, ",") {
		outside, inside := renamed(specifier)
		if outside != "" && outside[0] != '"' {
			names[outside] = inside
		}
	}
	return names
}

// renamed splits "a as b". Without "as", both names are the same.
func renamed(specifier string) (before, after string) {
	before, after, is := strings.Cut(strings.TrimSpace(specifier), " as ")
	if !is {
		after = before
	}
	return before, after
}

// link returns a message for every imported name that does not exist. For each lenient
// module, by address, it returns the local names of re-exports that do not exist.
func (g *graph) link(p *project.Project) (absent map[string][]string, messages []api.Message) {
	modules := g.byAddress()
	absent = make(map[string][]string)
	for _, id := range g.order {
		m := g.modules[id]
		for _, named := range m.links.imports {
			target := modules[named.address]
			for name, local := range named.names {
				switch {
				case target == nil || target.has(modules, name, make(map[string]bool)):
				case m.lenient && slices.Contains(m.links.locals, local):
					absent[m.address] = append(absent[m.address], local)
				default:
					messages = append(messages, notExported(p, m, target, name))
				}
			}
		}
		slices.Sort(absent[m.address])
	}
	return absent, messages
}

// has reports whether the module exports, or may export, a name. seen are the modules
// that were already searched.
func (m *module) has(modules map[string]*module, name string, seen map[string]bool) bool {
	if m.links.open || slices.Contains(m.exports, name) {
		return true
	}
	if name == "default" || seen[m.address] {
		return false
	}
	seen[m.address] = true
	return slices.ContainsFunc(m.links.stars, func(star string) bool {
		target := modules[star]
		return target == nil || target.has(modules, name, seen)
	})
}

// notExported returns the message about a missing name, placed at the import.
func notExported(p *project.Project, m, target *module, name string) api.Message {
	problem := fmt.Sprintf("No matching export in %q for import %q", target.id.name, name)
	text, err := p.Src.Read(m.id.name, project.MaxModuleBytes)
	if err != nil || m.id.namespace != project.NsProject {
		return api.Message{Text: problem, Location: &api.Location{File: m.id.name, Namespace: m.id.namespace}}
	}
	word := regexp.MustCompile(`(?m)^[ \t]*(?:import|export)\b[^;'"` + "`" + `]*?\b(` + regexp.QuoteMeta(name) + `)\b`)
	if at := word.FindSubmatchIndex(text); at != nil {
		return project.MessageAt(m.id.name, text, at[2], problem)
	}
	stem, _, _ := strings.Cut(target.id.name[strings.LastIndexByte(target.id.name, '/')+1:], ".")
	return project.MessageAt(m.id.name, text, max(0, bytes.Index(text, []byte(stem))), problem)
}

// namedImport matches named imports of the project's modules.
var namedImport = regexp.MustCompile(`(?m)^import (?:[\w$]+, )?\{([^}]*)\} from "/` + appDir + `/[^"?]+\?v=` + versionSign + `";`)

// without removes names from the imports of a module and declares them undefined. Line
// numbers stay the same.
func without(code []byte, names []string) []byte {
	if len(names) == 0 {
		return code
	}
	var out []byte
	done := 0
	for _, at := range namedImport.FindAllSubmatchIndex(code, -1) {
		out = append(out, code[done:at[2]]...)
		for part := range strings.SplitAfterSeq(string(code[at[2]:at[3]]), ",") {
			if _, local := renamed(strings.TrimSuffix(part, ",")); slices.Contains(names, local) {
				part = strings.Repeat("\n", strings.Count(part, "\n"))
			}
			out = append(out, part...)
		}
		done = at[3]
	}
	out = append(out, code[done:]...)
	return fmt.Appendf(out, "var %s;\n", strings.Join(names, ", "))
}
