package esbuild

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// A browser refuses a whole page when one of its modules imports a name that
// another does not export, and says little about it. So imports are compared with
// exports here, as a bundler does.

// linkStatement finds imports and exports of other modules as esbuild prints them:
// at the beginning of a line, with an address of the preview behind them.
var linkStatement = regexp.MustCompile(`(?m)^(?:import (?:([\w$]+)(?:, )?)?(?:\* as [\w$]+|\{([^}]*)\})? ?from |export (\*) from )"(/` + appDir + `/[^"?]+)\?v=` + versionSign + `";`)

// linkage is what modules import from each other by name.
type linkage struct {
	modules map[string]*module
	// stars are the addresses of the modules that one passes on whole.
	stars map[string][]string
}

// link returns a message for every name that is imported and not there. For each
// module that may do so, it returns the names, as they are called there, that it
// passes on and that do not exist.
func (g *graph) link(p *project) (absent map[string][]string, messages []api.Message) {
	l := &linkage{modules: g.byAddress(), stars: make(map[string][]string)}
	found := make(map[string][][]string)
	for at, m := range l.modules {
		if len(m.imports) == 0 {
			continue
		}
		for _, match := range linkStatement.FindAllStringSubmatch(string(m.code), -1) {
			if match[3] != "" {
				l.stars[at] = append(l.stars[at], match[4])
				continue
			}
			found[at] = append(found[at], match)
		}
	}
	absent = make(map[string][]string)
	for at, statements := range found {
		m := l.modules[at]
		exported := make(map[string]bool)
		if m.lenient {
			for _, name := range m.passedOn() {
				exported[name] = true
			}
		}
		for _, statement := range statements {
			target := l.modules[statement[4]]
			for name, local := range namesIn(statement[1], statement[2]) {
				switch {
				case target == nil || l.has(target.address, name, nil):
				case exported[local]:
					absent[at] = append(absent[at], local)
				default:
					messages = append(messages, p.notExported(m, target, name))
				}
			}
		}
		slices.Sort(absent[at])
	}
	return absent, messages
}

// namesIn returns the names that an import asks for, with those that they get.
func namesIn(whole, clause string) map[string]string {
	names := make(map[string]string)
	if whole != "" {
		names["default"] = whole
	}
	for specifier := range strings.SplitSeq(clause, ",") {
		outside, inside, renamed := strings.Cut(strings.TrimSpace(specifier), " as ")
		if !renamed {
			inside = outside
		}
		if outside != "" && outside[0] != '"' {
			names[outside] = inside
		}
	}
	return names
}

// has reports whether a module exports a name, or may do so: what it passes on of
// a package is not known.
func (l *linkage) has(at, name string, seen []string) bool {
	m := l.modules[at]
	if m == nil || slices.Contains(m.exports, name) || m.passesPackages() {
		return true
	}
	if name == "default" || slices.Contains(seen, at) {
		return false
	}
	seen = append(seen, at)
	for _, star := range l.stars[at] {
		if l.has(star, name, seen) {
			return true
		}
	}
	return false
}

var (
	packageStar   = regexp.MustCompile(`(?m)^export \* from "(?:/` + depsDir + `/|https?:|//)`)
	bridgeStar    = []byte("\n__reExport(")
	exportsAtLast = regexp.MustCompile(`(?m)^export \{([^}]*)\};`)
)

func (m *module) passesPackages() bool {
	return packageStar.Match(m.code) || bytes.Contains(m.code, bridgeStar)
}

// passedOn are the names of the module's own that it exports.
func (m *module) passedOn() []string {
	var names []string
	for _, clause := range exportsAtLast.FindAllSubmatch(m.code, -1) {
		into := make(map[string]string)
		readExports(string(clause[1]), into)
		for _, name := range into {
			names = append(names, name)
		}
	}
	return names
}

// notExported is the message about a name that is not there, at the import.
func (p *project) notExported(m, target *module, name string) api.Message {
	problem := fmt.Sprintf("No matching export in %q for import %q", plainTarget(target.id), name)
	text, err := p.src.read(m.id.name, maxModuleBytes)
	if err != nil || m.id.namespace != nsProject {
		return api.Message{Text: problem, Location: &api.Location{File: m.id.name, Namespace: m.id.namespace}}
	}
	word := regexp.MustCompile(`(?m)^[ \t]*(?:import|export)\b[^;'"` + "`" + `]*?\b(` + regexp.QuoteMeta(name) + `)\b`)
	if at := word.FindSubmatchIndex(text); at != nil {
		return messageAt(m.id.name, text, at[2], problem)
	}
	stem, _, _ := strings.Cut(target.id.name[strings.LastIndexByte(target.id.name, '/')+1:], ".")
	offset := max(0, bytes.Index(text, []byte(stem)))
	return messageAt(m.id.name, text, offset, problem)
}

func plainTarget(id moduleID) string { return id.name }

// without takes names out of the imports of a module and declares them, without a
// value.
func without(code []byte, names []string) []byte {
	if len(names) == 0 {
		return code
	}
	code = linkStatement.ReplaceAllFunc(code, func(statement []byte) []byte {
		open, shut := bytes.IndexByte(statement, '{'), bytes.IndexByte(statement, '}')
		if open < 0 || shut < open {
			return statement
		}
		parts := strings.SplitAfter(string(statement[open+1:shut]), ",")
		for i, part := range parts {
			_, local, renamed := strings.Cut(strings.Trim(part, ", \n"), " as ")
			if !renamed {
				local = strings.Trim(part, ", \n")
			}
			if slices.Contains(names, local) {
				parts[i] = strings.Repeat("\n", strings.Count(part, "\n"))
			}
		}
		return slices.Concat(statement[:open+1], []byte(strings.Join(parts, "")), statement[shut:])
	})
	return fmt.Appendf(code, "var %s;\n", strings.Join(names, ", "))
}
