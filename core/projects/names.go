package projects

import (
	"archive/zip"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
)

// maxNames bounds the files and folders of an archive together, because a path
// alone can name hundreds of folders.
const maxNames = 4 * maxArchiveFiles

// names are the files and folders that an archive names, including the parent folders
// of each path.
type names map[core.ProjectPath]namedFile

type namedFile struct {
	isFolder bool
	// isImplied says that the folder is only named as a parent of others.
	isImplied bool
}

// nameOf is the name of an entry with slashes between its folders. Windows packs with
// backslashes, and with names in its oldest character set.
func nameOf(entry *zip.File) string {
	const saysUTF8 = 0x800
	name := entry.Name
	if entry.Flags&saysUTF8 == 0 && !utf8.ValidString(name) {
		name = fromCP437(name)
	}
	return strings.ReplaceAll(name, `\`, "/")
}

// cp437 are the characters of code page 437 from 128 on.
var cp437 = []rune("ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0")

func fromCP437(text string) string {
	var out strings.Builder
	for _, c := range []byte(text) {
		if c < utf8.RuneSelf {
			out.WriteByte(c)
		} else {
			out.WriteRune(cp437[c-utf8.RuneSelf])
		}
	}
	return out.String()
}

// pathOf is the path of a name. Some programs write "./a" and "a//b" for a and a/b.
func pathOf(name string) (core.ProjectPath, error) {
	found, err := core.ComposePath(strings.TrimSuffix(name, "/"))
	if core.IsCode(err, core.CodeInvalidPath) {
		return core.ComposePath(path.Clean(name))
	}
	return found, err
}

// isLeftOut reports whether an entry is a by-product of operating systems or package
// managers that nobody misses.
func isLeftOut(name string) bool {
	return slices.ContainsFunc(strings.Split(name, "/"), func(segment string) bool {
		switch strings.ToLower(segment) {
		case "node_modules", "__macosx", ".ds_store", "icon\r", "thumbs.db", "ehthumbs.db", "desktop.ini":
			return true
		}
		return false
	})
}

// claim adds a path and the folders above it. The error has code
// core.CodeValidationFailed.
func (n names) claim(path core.ProjectPath, isFolder bool) error {
	next := namedFile{isFolder: isFolder}
	for ; !path.IsRoot(); path = path.Dir() {
		before, taken := n[path]
		if taken {
			if err := before.admit(path, next); err != nil {
				return err
			}
		}
		if len(n) == maxNames {
			return core.Errorf(core.CodeValidationFailed, "with this entry the archive has more than %d files and folders", maxNames)
		}
		if !taken || before.isImplied {
			n[path] = next
		}
		if taken {
			return nil
		}
		next = namedFile{isFolder: true, isImplied: true}
	}
	return nil
}

// admit reports whether another entry may have the path of this one.
func (before namedFile) admit(path core.ProjectPath, next namedFile) error {
	switch {
	case before.isFolder != next.isFolder:
		return core.Errorf(core.CodeValidationFailed, "%.200q is a file and a folder", path)
	case !before.isImplied && !next.isImplied:
		return core.Errorf(core.CodeValidationFailed, "%.200q occurs twice", path)
	}
	return nil
}

// dropSpellings leaves out files whose path, or a folder of it, differs only in upper and lower case
// from one before it, byte by byte.
func (s *selection) dropSpellings() {
	taken := map[string]core.ProjectPath{}
	isOther := func(path core.ProjectPath) bool {
		for at := path; !at.IsRoot(); at = at.Dir() {
			if first, found := taken[core.FoldCase(at.String())]; found && first != at {
				return true
			}
		}
		return false
	}
	for _, file := range sorted(s.files) {
		if isOther(file.path) {
			s.omitted.Spellings = append(s.omitted.Spellings, file.path.String())
			continue
		}
		for at := file.path; !at.IsRoot(); at = at.Dir() {
			taken[core.FoldCase(at.String())] = at
		}
	}
	s.files = slices.DeleteFunc(s.files, func(file archiveFile) bool { return isOther(file.path) })
}
