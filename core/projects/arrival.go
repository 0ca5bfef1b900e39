package projects

import (
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// arrival are the files of an archive from elsewhere, on their way to a project that
// previews: its application is at the root, and everything else keeps its place.
type arrival struct {
	files archiveContents
	// at are the files by path.
	at map[string]*archiveFile
	// packages are those of the archive, by folder.
	packages map[string]packageFile
	notes    []core.Phrase
}

// packageFile is the part of package.json that says what a folder is.
type packageFile struct {
	Name            string            `json:"name"`
	Dependencies    map[string]string `json:"dependencies"`
	DevDependencies map[string]string `json:"devDependencies"`
}

// asks reports whether a package depends on one of these.
func (p packageFile) asks(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		_, depends := p.Dependencies[name]
		_, develops := p.DevDependencies[name]
		return depends || develops
	})
}

// Limits of reading an archive to arrange its files.
const (
	maxPackageFiles = 200
	// maxPackageDepth is how deep an application may lie, as in apps/web.
	maxPackageDepth = 2
	maxSourceBytes  = 1 << 20
)

// arrive arranges the files, and says what the project lacks.
func (c archiveContents) arrive() (archiveContents, []core.Phrase, error) {
	a := &arrival{files: c, at: map[string]*archiveFile{}, packages: map[string]packageFile{}}
	for i := range c {
		a.at[c[i].path.String()] = &c[i]
	}
	if err := a.readPackages(); err != nil {
		return nil, nil, err
	}
	apps := a.apps()
	switch {
	case len(apps) == 1 && apps[0] != ".":
		if err := a.raise(apps[0]); err != nil {
			return nil, nil, err
		}
	case len(apps) > 1:
		a.note(core.Phrasef("The archive has several applications, and a project shows one: import the folder of each by itself (%s)", listed(apps)))
	}
	a.link()
	if err := a.setAside(); err != nil {
		return nil, nil, err
	}
	a.findTables()
	err := a.findNames()
	return a.files, a.notes, err
}

func (a *arrival) note(text core.Phrase) { a.notes = append(a.notes, text) }

// readPackages reads the archive's package.json files near the root. Those that do not parse
// are reported by the preview.
func (a *arrival) readPackages() error {
	for i := range a.files {
		folder, base := path.Split(a.files[i].path.String())
		folder = path.Clean(folder)
		if base != "package.json" || strings.Count(folder, "/") >= maxPackageDepth || len(a.packages) == maxPackageFiles {
			continue
		}
		text, err := a.files[i].read(maxSourceBytes)
		if err != nil {
			return err
		}
		var about packageFile
		_ = json.Unmarshal(text, &about)
		a.packages[folder] = about
	}
	return nil
}

// apps are the folders of applications. One at the root is the only one: what lies below it
// is its own affair.
func (a *arrival) apps() []string {
	var found []string
	for folder, about := range a.packages {
		if a.isApp(folder, about) {
			found = append(found, folder)
		}
	}
	if a.isApp(".", a.packages["."]) {
		return []string{"."}
	}
	slices.Sort(found)
	// Libraries have pages to try them.
	if own := slices.DeleteFunc(slices.Clone(found), isLibrary); len(own) > 0 {
		return own
	}
	return found
}

func isLibrary(folder string) bool {
	first, _, _ := strings.Cut(folder, "/")
	return slices.Contains([]string{"packages", "libs", "examples", "e2e"}, first)
}

// isApp reports whether a folder has a page, or a framework that makes pages.
func (a *arrival) isApp(folder string, about packageFile) bool {
	has := func(name string) bool { return a.at[path.Join(folder, name)] != nil }
	switch {
	case has("index.html"), about.asks("react-scripts") && has("public/index.html"):
		return true
	case folder == "." && (has("vite.config.ts") || has("vite.config.js") || has("vite.config.mts") || has("vite.config.mjs")):
		return true // the pages lie where its configuration says
	}
	return about.asks("next", "nuxt", "astro", "gatsby", "@sveltejs/kit", "@angular/core", "@remix-run/react", "@react-router/dev", "@tanstack/react-start")
}

// raise makes a folder the root. What was at the root and has the name of something in the
// folder gives way; it belonged to the repository as a whole.
func (a *arrival) raise(folder string) error {
	raised, claimed, up := archiveContents{}, names{}, &climb{folder: folder, roots: map[string]bool{}}
	for _, file := range a.files {
		first, _, _ := strings.Cut(file.path.String(), "/")
		up.roots[first] = true
		below, is := strings.CutPrefix(file.path.String(), folder+"/")
		if !is {
			continue
		}
		to, err := core.ParsePath(below)
		if err == nil {
			err = claimed.claim(to, false)
		}
		if err != nil {
			return refuse(file.file, err)
		}
		file.path, file.raised = to, up
		raised = append(raised, file)
	}
	var dropped []string
	for _, file := range a.files {
		switch name := file.path.String(); {
		case strings.HasPrefix(name, folder+"/"):
		case isLock(name) || claimed.claim(file.path, false) != nil:
			dropped = append(dropped, name)
		default:
			raised = append(raised, file)
		}
	}
	a.note(core.Phrasef("The application in %s is the project: its files are at the root now", folder))
	if len(dropped) > 0 {
		a.note(core.Phrasef("These files were left out, because they belong to the repository as a whole: %s", listed(dropped)))
	}
	for _, other := range slices.Sorted(maps.Keys(a.packages)) {
		if other != "." && other != folder && a.packages[other].asks("express", "fastify", "koa", "hono", "@nestjs/core", "@hapi/hapi") {
			a.note(core.Phrasef("%s/package.json is a server of its own, which neither preview nor site run: rebuild what the pages need from it as functions (functions/), or let them call its address elsewhere", other))
		}
	}
	delete(a.packages, folder)
	about, err := packageAt(raised)
	a.packages["."] = about
	a.files = raised
	return err
}

// packageAt reads the package.json at the root.
func packageAt(files archiveContents) (packageFile, error) {
	var about packageFile
	for i := range files {
		if files[i].path.String() == "package.json" {
			text, err := files[i].read(maxSourceBytes)
			_ = json.Unmarshal(text, &about)
			return about, err
		}
	}
	return about, nil
}

// maxListed bounds the names in a note.
const maxListed = 10

// listed names the first few of a list.
func listed(names []string) string {
	if more := len(names) - maxListed; more > 1 {
		names = append(slices.Clone(names[:maxListed]), "…")
	}
	return strings.Join(names, ", ")
}

// isLock reports whether a file of the root locks versions of all its packages.
func isLock(name string) bool {
	switch name {
	case "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lockb", "bun.lock":
		return true
	}
	return false
}

// climb rewrites paths in a file of a folder that becomes the root, where they lead out of it:
// "../../packages/ui" in apps/web/tsconfig.json becomes "./packages/ui".
type climb struct {
	folder string
	// roots are the files and folders at the archive's root.
	roots map[string]bool
}

var outward = regexp.MustCompile("([\"'`](?:file:|link:|portal:)?)((?:\\.\\./)+)([^\"'`\\n]*)")

func (c *climb) rewrite(name string, text []byte) []byte {
	dir := path.Dir(path.Join(c.folder, name))
	below := strings.Count(name, "/")
	return outward.ReplaceAllFunc(text, func(found []byte) []byte {
		parts := outward.FindSubmatch(found)
		target := path.Join(dir, string(parts[2]), string(parts[3]))
		first, _, _ := strings.Cut(target, "/")
		if strings.Count(string(parts[2]), "../") <= below || strings.HasPrefix(target, "..") || !c.roots[first] {
			return found
		}
		up := strings.Repeat("../", below)
		if up == "" {
			up = "./"
		}
		return slices.Concat(parts[1], []byte(up+target))
	})
}

// setAside moves functions of Firebase, which are programs for another service, away from the
// folder where a project has its own.
func (a *arrival) setAside() error {
	if !a.packages["functions"].asks("firebase-functions") {
		return nil
	}
	const to = "firebase/functions"
	for i := range a.files {
		if below, is := strings.CutPrefix(a.files[i].path.String(), "functions/"); is {
			moved, err := core.ParsePath(path.Join(to, below))
			if err != nil {
				return refuse(a.files[i].file, err)
			}
			a.files[i].path = moved
		}
	}
	a.note(core.Phrasef("functions/ has functions of Firebase, which do not run here: they are in %s/ now", to))
	return nil
}

// findTables says what can become of the tables of Supabase.
func (a *arrival) findTables() {
	if slices.ContainsFunc(a.files, func(file archiveFile) bool {
		found, _ := path.Match("supabase/migrations/*.sql", file.path.String())
		return found
	}) {
		a.note(core.Phrasef("supabase/migrations has the tables of the pages: under Data, they can become collections of this project"))
	}
}

// link makes dependencies on packages of the archive lead to their folders: "workspace:*"
// becomes "file:packages/ui", which npm and the builder understand.
func (a *arrival) link() {
	folders := map[string]string{}
	for folder, about := range a.packages {
		if folder != "." && about.Name != "" {
			folders[about.Name] = folder
		}
	}
	if len(folders) == 0 {
		return
	}
	for i := range a.files {
		folder, base := path.Split(a.files[i].path.String())
		if base == "package.json" && strings.Count(folder, "/") <= maxPackageDepth {
			a.files[i].links = &links{folders: folders, from: path.Clean(folder)}
		}
	}
}

// links rewrites the dependencies of one package.json.
type links struct {
	folders map[string]string
	from    string
}

var dependency = regexp.MustCompile(`"([^"\n]+)"(\s*:\s*)"((?:workspace:)?[~^*\d][^"\n]*|workspace:[^"\n]*)"`)

func (l *links) rewrite(text []byte) []byte {
	return dependency.ReplaceAllFunc(text, func(found []byte) []byte {
		parts := dependency.FindSubmatch(found)
		folder, is := l.folders[string(parts[1])]
		if !is || folder == l.from {
			return found
		}
		if l.from != "." {
			folder = strings.Repeat("../", strings.Count(l.from, "/")+1) + folder
		}
		return slices.Concat([]byte(`"`), parts[1], []byte(`"`), parts[2], []byte(`"file:`+folder+`"`))
	})
}
