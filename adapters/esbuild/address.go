package esbuild

import (
	"fmt"
	"strings"

	"github.com/atelierhq/atelier/adapters/esbuild/project"
)

const (
	// appDir holds the project's own modules in a preview.
	appDir = "@app"
	// versionSign stands for the version of a module in the addresses of a module
	// that was made, until versions are known. It is as long, so that no source map
	// has to move.
	versionSign  = "________"
	versionQuery = "?v="
)

// moduleID names a module of a preview: a file, and what was asked of it.
type moduleID struct {
	// namespace is NsProject, NsAddress, NsJSX, nsLink or nsPackage.
	namespace string
	// name is the path of a file of the project or, in nsPackage, of the disk.
	name   string
	suffix string
}

const (
	// nsPackage is esbuild's own namespace, of files on the disk.
	nsPackage = "file"
	// nsLink holds the style sheets that pages link.
	nsLink = "link"
)

// addressOf is where a preview has the module. It is made of harmless characters
// alone, whatever the file is called, so it can stand in pages, scripts and style
// sheets as it is; and no two modules share one.
func addressOf(p *project.Project, id moduleID) string {
	at := "/" + appDir + "/"
	switch id.namespace {
	case project.NsJSX:
		return at + "~jsx/" + plainName(id.name) + ".js"
	case nsPackage:
		at += "~packages/" + project.Dependency{Name: p.Packages.Name(id.name)}.ID()
	default:
		at += plainName(id.name)
	}
	switch {
	case id.namespace == nsLink:
		return at + "~link.css"
	case id.namespace == project.NsAddress:
		return at + "~url.js"
	case strings.HasPrefix(id.suffix, "?"):
		at += "~query." + plainName(id.suffix[1:])
	case id.suffix != "":
		at += "~suffix." + plainName(id.suffix)
	}
	return at + ".js"
}

// plainName writes a path with letters, digits and a few signs. Other bytes, the
// tilde, and a dot that begins a name, which hosts keep to themselves, become a
// tilde and two digits; so a tilde before anything else is never a file's.
func plainName(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-', c == '@', c == '+', c == '/':
			b.WriteByte(c)
		case c == '.' && i > 0 && name[i-1] != '/':
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "~%02x", c)
		}
	}
	return b.String()
}
