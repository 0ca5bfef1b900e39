package tailwind

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Selection says which files are searched for class names. Names are paths from the root
// of the project, without a leading slash.
type Selection struct {
	automatic pattern
	none      bool
	ignored   []ignoreRule
	wanted    []pattern
	unwanted  []pattern
}

// Select returns the selection for the result of [Session.Sources]. Files that the
// project's .gitignore names are not found automatically.
func Select(automatic string, none bool, explicit []Source, gitignore []byte) *Selection {
	result := &Selection{automatic: newPattern(automatic), none: none, ignored: parseIgnore(gitignore)}
	for _, source := range explicit {
		p := newPattern(source.Pattern)
		if source.Negated {
			result.unwanted = append(result.unwanted, p)
		} else {
			result.wanted = append(result.wanted, p)
		}
	}
	return result
}

// Has reports whether a file is searched for class names.
func (s *Selection) Has(name string) bool {
	fits := func(p pattern) bool { return p.has(name) }
	switch {
	case slices.ContainsFunc(s.unwanted, fits):
		return false
	case slices.ContainsFunc(s.wanted, fits):
		return true
	}
	return !s.none && isReadable(name) && s.automatic.below(name) && !s.isIgnored(name)
}

// Packages returns the names of the packages that are searched for class names.
func (s *Selection) Packages() []string {
	var found []string
	for _, p := range s.wanted {
		rest, inside := strings.CutPrefix(p.fixed+"/", modulesDir)
		if !inside {
			continue
		}
		parts := strings.SplitN(rest, "/", 3)
		name := parts[0]
		if strings.HasPrefix(name, "@") && len(parts) > 1 {
			name += "/" + parts[1]
		}
		if name != "" && !strings.HasSuffix(name, "/") && !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	return found
}

const modulesDir = "node_modules/"

// SkipDir reports whether no file below a directory is ever searched.
func SkipDir(name string) bool { return slices.Contains(skippedDirs, path.Base(name)) }

var skippedDirs = []string{
	".git", ".hg", ".jj", ".next", ".parcel-cache", ".pnpm-store", ".svelte-kit", ".svn", ".turbo", ".venv", ".vercel", ".yarn",
	"__pycache__", "node_modules", "venv",
}

// isReadable reports by name whether a file may hold class names. As in Tailwind, these
// are all files except style sheets, locks, settings, and binary files.
func isReadable(name string) bool {
	base := path.Base(name)
	switch {
	case base == "package-lock.json", base == "pnpm-lock.yaml", base == ".gitignore", base == ".env", strings.HasPrefix(base, ".env."):
		return false
	}
	for _, dir := range strings.Split(path.Dir(name), "/") {
		if slices.Contains(skippedDirs, dir) {
			return false
		}
	}
	ext := extension(name)
	return !slices.Contains(styleExtensions, ext) && !isBinary(name)
}

var styleExtensions = []string{"css", "less", "lock", "sass", "scss", "styl"}

func isBinary(name string) bool { return slices.Contains(binaryExtensions, extension(name)) }

var binaryExtensions = strings.Fields(`
	3g2 3gp 7z aac ai aiff apk avi avif bin bmp bz2 cab class cur dat db deb dll dmg doc docx dot ds_store eot epub exe flac flv
	geojson gif glb gz gzip hdr heic icns ico img ipa iso jar jpeg jpg jxl key lib lockb lz lzma m3u m4a m4v mid midi mkv mobi mov
	mp3 mp4 mpeg mpg node numbers o odp ods odt oga ogg ogv opus otf pages pdb pdf plist png ppt pptx psd pyc rar raw rtf so sqlite
	sqlite3 stl swf tar tgz tif tiff ttc ttf txz war wasm wav weba webm webp whl wmv woff woff2 xls xlsx xz zip zipx`)

// pattern is a path, with or without stars.
type pattern struct {
	// fixed is the part before the first star, in whole names.
	fixed string
	// stars is the whole pattern, nil for a path without stars.
	stars *regexp.Regexp
}

// maxPattern bounds a pattern, in bytes.
const maxPattern = 1000

func newPattern(text string) pattern {
	text = strings.Trim(text, "/")
	if len(text) > maxPattern {
		text = text[:maxPattern]
	}
	first := strings.IndexAny(text, "*?[{")
	if first < 0 {
		return pattern{fixed: text}
	}
	fixed := ""
	if slash := strings.LastIndexByte(text[:first], '/'); slash >= 0 {
		fixed = text[:slash]
	}
	return pattern{fixed: fixed, stars: globExpression(text)}
}

// below reports whether a path is the pattern's, or below it.
func (p pattern) below(name string) bool {
	if p.stars != nil {
		return p.stars.MatchString(name)
	}
	return p.fixed == "" || name == p.fixed || strings.HasPrefix(name, p.fixed+"/")
}

// has is below for what a sheet names itself. A directory means the readable files in it;
// a file or a pattern means everything except pictures and the like.
func (p pattern) has(name string) bool {
	if !p.below(name) {
		return false
	}
	if p.stars != nil || name == p.fixed {
		return !isBinary(name)
	}
	return isReadable(strings.TrimPrefix(name, p.fixed+"/"))
}

// globExpression translates stars, question marks, classes and braces.
func globExpression(glob string) *regexp.Regexp {
	var out strings.Builder
	out.WriteString("^")
	braces := 0
	for i := 0; i < len(glob); i++ {
		switch c := glob[i]; {
		case strings.HasPrefix(glob[i:], "**/"):
			out.WriteString("(?:.*/)?")
			i += 2
		case strings.HasPrefix(glob[i:], "**"):
			out.WriteString(".*")
			i++
		case c == '*':
			out.WriteString("[^/]*")
		case c == '?':
			out.WriteString("[^/]")
		case c == '{':
			braces++
			out.WriteString("(?:")
		case c == '}' && braces > 0:
			braces--
			out.WriteString(")")
		case c == ',' && braces > 0:
			out.WriteString("|")
		case c == '[' && strings.IndexByte(glob[i:], ']') > 1:
			end := i + strings.IndexByte(glob[i:], ']')
			out.WriteString("[" + strings.ReplaceAll(strings.Replace(glob[i+1:end], "!", "^", 1), `\`, `\\`) + "]")
			i = end
		default:
			out.WriteString(regexp.QuoteMeta(string(c)))
		}
	}
	out.WriteString(strings.Repeat(")", braces) + "$")
	expression, err := regexp.Compile(out.String())
	if err != nil {
		return regexp.MustCompile("^" + regexp.QuoteMeta(glob) + "$")
	}
	return expression
}

// ignoreRule is a line of .gitignore.
type ignoreRule struct {
	expression *regexp.Regexp
	again      bool
}

// maxIgnoreRules bounds a .gitignore.
const maxIgnoreRules = 500

func parseIgnore(text []byte) []ignoreRule {
	var rules []ignoreRule
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' || len(line) > maxPattern || len(rules) == maxIgnoreRules {
			continue
		}
		line, again := strings.CutPrefix(line, "!")
		line = strings.TrimSuffix(line, "/")
		if !strings.Contains(line, "/") {
			line = "**/" + line
		}
		line = strings.TrimPrefix(line, "/")
		whole := strings.TrimSuffix(globExpression(line).String(), "$")
		if expression, err := regexp.Compile(whole + "(?:/.*)?$"); err == nil {
			rules = append(rules, ignoreRule{expression, again})
		}
	}
	return rules
}

func (s *Selection) isIgnored(name string) bool {
	ignored := false
	for _, rule := range s.ignored {
		if ignored == rule.again && rule.expression.MatchString(name) {
			ignored = !rule.again
		}
	}
	return ignored
}
