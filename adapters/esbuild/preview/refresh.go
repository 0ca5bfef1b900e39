package preview

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/adapters/esbuild/project"
)

// refresh is what Fast Refresh must know of a module: React replaces old components with
// new ones and keeps their state if they call the same hooks in the same order.
type refresh struct {
	// parts are the module's top-level components and hooks.
	parts []refreshPart
	// boundary means that a new version of the module can replace it without its
	// importers: it exports only components.
	boundary bool
	// accepts means that the module accepts its own new versions, by
	// import.meta.hot.accept().
	accepts bool
}

// refreshPart is a component, or a hook of the project.
type refreshPart struct {
	name string
	// hooks are the hooks that it calls, in order. own are those that may belong to the
	// project, as names in the module.
	hooks []string
	own   []string
	// exports are the names outside by which the module exports it, sorted.
	exports []string
}

func (p refreshPart) isHook() bool { return hookName.MatchString(p.name) }

var (
	functionStart = regexp.MustCompile(`^(?:async )?function\*? ([A-Za-z_$][\w$]*)\(`)
	variableStart = regexp.MustCompile(`^var ([A-Za-z_$][\w$]*) = `)
	classStart    = regexp.MustCompile(`^class (?:[\w$]+ )?extends (?:[\w$]+\.)*(?:Pure)?Component\b`)
	wrapperStart  = regexp.MustCompile(`^(?:\(0, [\w$]+\.(?:memo|forwardRef)\)|(?:[\w$]+\.)*(?:memo|forwardRef))\(`)
	functionValue = regexp.MustCompile(`^(?:async )?(?:function\b|[A-Za-z_$][\w$]* =>)`)
	hookName      = regexp.MustCompile(`^use[A-Z0-9]`)
	exportClause  = regexp.MustCompile(`^export \{([^}]*)\};`)
	acceptsItself = regexp.MustCompile(`import\.meta\.hot(?:\?)?\.accept\((?:\)|(?:async )?(?:function\b|\([^)]*\) =>|[\w$]+ =>))`)
)

// readRefresh parses a module as esbuild printed it. react says that the module uses
// React.
func readRefresh(read scriptOutline, exports []string, react bool) refresh {
	var result refresh
	passesOn := false // re-exports everything of another module
	components := make(map[string]bool)
	exported := make(map[string]string) // exported names by their names outside
	for i := range read.starts {
		statement := read.statement(i)
		passesOn = passesOn || strings.HasPrefix(statement, "export * ")
		if match := exportClause.FindStringSubmatch(statement); match != nil {
			readExports(match[1], exported)
			continue
		}
		name, is := componentOf(statement)
		if !is && !hookName.MatchString(name) {
			continue
		}
		components[name] = is
		result.parts = append(result.parts, partOf(name, statement))
	}
	result.accepts = acceptsItself.Match(read.code)
	result.boundary = react && len(exports) > 0 && !passesOn
	for _, name := range exports {
		result.boundary = result.boundary && components[exported[name]]
	}
	for i := range result.parts {
		part := &result.parts[i]
		for _, outside := range slices.Sorted(maps.Keys(exported)) {
			if exported[outside] == part.name {
				part.exports = append(part.exports, outside)
			}
		}
	}
	return result
}

// readExports parses the inside of an export clause.
func readExports(clause string, into map[string]string) {
	for specifier := range strings.SplitSeq(clause, ",") {
		if inside, outside := renamed(specifier); outside != "" {
			into[outside] = inside
		}
	}
}

// componentOf returns the name that a statement declares and whether it is a component. A
// component's name begins with a capital, and its value is a function, a class that
// extends a component, or the result of memo or forwardRef.
func componentOf(statement string) (name string, is bool) {
	if match := functionStart.FindStringSubmatch(statement); match != nil {
		return match[1], isCapital(match[1])
	}
	match := variableStart.FindStringSubmatch(statement)
	if match == nil {
		return "", false
	}
	name = match[1]
	value := strings.TrimLeft(statement[len(match[0]):], " ")
	switch {
	case functionValue.MatchString(value), isArrow(value):
		return name, isCapital(name)
	case classStart.MatchString(value), wrapperStart.MatchString(value):
		return name, isCapital(name)
	}
	return "", false
}

func isCapital(name string) bool { return name[0] >= 'A' && name[0] <= 'Z' }

// isArrow reports whether a value is an arrow function with a parameter list.
func isArrow(value string) bool {
	value = strings.TrimPrefix(value, "async ")
	if !strings.HasPrefix(value, "(") {
		return false
	}
	depth := 0
	for i := range len(value) {
		switch value[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return strings.HasPrefix(value[i+1:], " =>")
			}
		}
	}
	return false
}

// partOf reads the hooks that a statement calls.
func partOf(name, statement string) refreshPart {
	part := refreshPart{name: name}
	for from := 0; ; {
		i := strings.Index(statement[from:], "use")
		if i < 0 {
			return part
		}
		start := from + i
		hook, member := hookAt(statement, start)
		from = start + len("use")
		if hook == "" || hook == name && !member {
			continue // also its own head
		}
		part.hooks = append(part.hooks, hook)
		if !member && !slices.Contains(part.own, hook) {
			part.own = append(part.own, hook)
		}
	}
}

// hookAt returns the hook that is called at an offset, "" if none is, and whether it is
// called as a member.
func hookAt(statement string, start int) (hook string, member bool) {
	end := start
	for end < len(statement) && isWord(statement[end]) {
		end++
	}
	rest := strings.TrimPrefix(statement[end:], ")")
	if start > 0 && isWord(statement[start-1]) || !hookName.MatchString(statement[start:end]) || !strings.HasPrefix(rest, "(") {
		return "", false
	}
	return statement[start:end], start > 0 && statement[start-1] == '.'
}

// footer registers the parts with the page's runtime. Names that are not top-level, such
// as those inside functions, are undefined there.
func (r refresh) footer(address string) string {
	if len(r.parts) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("globalThis.__atelier?.refresh(import.meta.url, [\n")
	for _, part := range r.parts {
		method := "component"
		if part.isHook() {
			method = "hook"
		}
		var own []string
		for _, hook := range part.own {
			own = append(own, valueOf(hook))
		}
		var outside []string
		for _, name := range part.exports {
			outside = append(outside, project.JSONText(name))
		}
		fmt.Fprintf(&b, "  { %s: %s, id: %s, exports: [%s], key: %s, hooks: () => [%s] },\n", method, valueOf(part.name),
			project.JSONText(address+" "+part.name), strings.Join(outside, ", "), project.JSONText(strings.Join(part.hooks, " ")), strings.Join(own, ", "))
	}
	b.WriteString("]);\n")
	return b.String()
}

func valueOf(name string) string {
	return fmt.Sprintf("typeof %s === \"undefined\" ? void 0 : %s", name, name)
}
