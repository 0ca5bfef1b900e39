package esbuild

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

var notInIdentifier = regexp.MustCompile(`[^A-Za-z0-9_]`)

// bridge returns the CommonJS module that stands for a pre-built dependency. It
// exports a free name, which closeBridges imports once it is known which file
// holds it. salt changes the name, and with it the hashes of files that have it,
// when the address of the dependency does.
func (b *bundle) bridge(dep dependency, salt string) api.OnResolveResult {
	name := "__atelier_" + notInIdentifier.ReplaceAllString(dep.id()+"_"+salt, "_")
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bridges[name] = dep
	return api.OnResolveResult{Path: name, Namespace: nsBridge}
}

// bridgesIn lists the free names of a file.
func bridgesIn(about metaOutput) []string {
	var names []string
	for _, input := range slices.Sorted(maps.Keys(about.Inputs)) {
		if name, is := strings.CutPrefix(input, nsBridge+":"); is {
			names = append(names, name)
		}
	}
	return names
}

// closeBridges adds the imports of the free names to a file. Imports count from
// wherever they stand, so they stand at the end, where no source map has to move.
func (b *bundle) closeBridges(content []byte, about metaOutput, address func(dependency) string) []byte {
	names := bridgesIn(about)
	if len(names) == 0 {
		return content
	}
	end := len(content)
	if i := bytes.LastIndex(content, []byte("\n//# sourceMappingURL=")); i >= 0 {
		end = i + 1
	}
	closed := bytes.Clone(content[:end])
	for _, name := range names {
		closed = append(closed, importBridge(name, b.bridges[name], address(b.bridges[name]))...)
	}
	return append(closed, content[end:]...)
}

// importBridge imports a free name.
func importBridge(name string, dep dependency, address string) string {
	if dep.esm {
		name = "* as " + name
	}
	return fmt.Sprintf("import %s from %q;\n", name, address)
}
