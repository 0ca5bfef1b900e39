package project

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// NotInIdentifier matches characters that are not allowed everywhere in JavaScript names.
var NotInIdentifier = regexp.MustCompile(`[^A-Za-z0-9_]`)

// Bridge returns the CommonJS module that replaces a pre-built dependency. It exports a
// free name, which CloseBridges imports once the file that holds the dependency is known.
// salt changes the name, and so the hashes of files that contain it, together with the
// address of the dependency.
func (b *Bundle) Bridge(dep Dependency, salt string) api.OnResolveResult {
	name := "__atelier_" + NotInIdentifier.ReplaceAllString(dep.ID()+"_"+salt, "_")
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Bridges[name] = dep
	return api.OnResolveResult{Path: name, Namespace: nsBridge}
}

// BridgesIn lists the free names in a file.
func BridgesIn(about metaOutput) []string {
	var names []string
	for _, input := range slices.Sorted(maps.Keys(about.Inputs)) {
		if name, is := strings.CutPrefix(input, nsBridge+":"); is {
			names = append(names, name)
		}
	}
	return names
}

// CloseBridges adds the imports of the free names to a file. Imports are hoisted, so they
// are appended at the end, where no source map has to change.
func (b *Bundle) CloseBridges(content []byte, about metaOutput, address func(Dependency) string) []byte {
	names := BridgesIn(about)
	if len(names) == 0 {
		return content
	}
	end := len(content)
	if i := bytes.LastIndex(content, []byte("\n//# sourceMappingURL=")); i >= 0 {
		end = i + 1
	}
	closed := bytes.Clone(content[:end])
	for _, name := range names {
		closed = append(closed, ImportBridge(name, b.Bridges[name], address(b.Bridges[name]))...)
	}
	return append(closed, content[end:]...)
}

// ImportBridge imports a free name.
func ImportBridge(name string, dep Dependency, address string) string {
	if dep.ESM {
		name = "* as " + name
	}
	return fmt.Sprintf("import %s from %q;\n", name, address)
}
