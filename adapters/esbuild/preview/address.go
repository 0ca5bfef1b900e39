package preview

import (
	"fmt"
	"strings"

	"github.com/atelierhq/atelier/adapters/esbuild/project"
)

const (
	// appDir holds the project's own modules in a preview.
	appDir = "@app"
	// versionSign is the placeholder for a module's version in addresses until versions
	// are known. It has the same length as a version, so that source maps stay correct.
	versionSign  = "________"
	versionQuery = "?v="
)

// moduleID names a module of a preview: a file, and the suffix with which it was
// imported.
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

// addressOf returns the address of a module in a preview. It consists of harmless
// characters alone, whatever the file is called, so pages, scripts and style sheets can
// hold it unescaped. No two modules share an address.
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

// plainName writes a path with letters, digits and a few signs. A tilde and two digits
// encode other bytes, the tilde itself, and a leading dot of a name, which hosts reserve.
// So a tilde before anything else never comes from a file name.
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
