package core_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/atelierhq/atelier/core"
)

// traversals are the spellings that leave the root: each way up, from each
// depth, with each separator, towards each target.
func traversals() []string {
	paths := []string{
		"..", "../", "../..", `..\`, `..\..`, "a/..", `a\..`, "a/../", "a/b/../..", "./..", "a/./..",
		"/", "//", "///", `\`, `\\`, "/.", "/..", "/a", "/etc/passwd", "//etc/passwd", `\etc\passwd`, "/.git/config",
		"//server/share", `\\server\share`, `\\?\C:\x`, `\\.\PhysicalDrive0`, `\??\C:\x`, `//?/C:/x`, `/\server\share`, `\/server/share`,
		"/proc/self/environ", "/dev/zero", "/\x00", "../\x00", "..\\\xff", "../e\u0301", ".git/../x", "../.git/config", "con/../x",
		strings.Repeat("../", 400), "a/" + strings.Repeat("../", 400) + "etc/passwd", "/" + strings.Repeat("a", 2000),
	}
	for _, drive := range []string{"C:", "c:", "Z:", "a:"} {
		for _, rest := range []string{"", "/", `\`, "x", "/x", `\x`, "/../x", "con"} {
			paths = append(paths, drive+rest)
		}
	}
	for _, separator := range []string{"/", `\`, "//", `\\`, `/\`} {
		for _, depth := range []string{"", "a" + separator, "a" + separator + "b" + separator, "." + separator} {
			for _, up := range []string{".." + separator, ".." + separator + ".." + separator, ".." + separator + "." + separator + ".." + separator} {
				for _, target := range []string{"", "x", "etc/passwd", ".git/config", "other project/.env"} {
					paths = append(paths, depth+up+target)
				}
			}
		}
	}
	return paths
}

// spellingsOfGit are names that some file system opens as ".git".
func spellingsOfGit() []string {
	names := []string{".git", ".GIT", ".Git", ".gIt", ".giT", "git~1", "GIT~1", "Git~1"}
	for _, suffix := range []string{" ", ".", "..", "...", " .", ". ", ".. ..", "   "} {
		names = append(names, ".git"+suffix, ".GIT"+suffix, "git~1"+suffix)
	}
	for _, stream := range []string{":", "::", "::$INDEX_ALLOCATION", ":$I30:$INDEX_ALLOCATION", "::$DATA", ":x", " :x", ".:x"} {
		names = append(names, ".git"+stream, ".Git"+stream, "git~1"+stream)
	}
	for _, ignored := range hfsIgnored() {
		mark := string(ignored)
		names = append(names, mark+".git", "."+mark+"git", ".g"+mark+"it", ".gi"+mark+"T", ".git"+mark, mark+mark+".G"+mark+"IT"+mark)
	}
	return names
}

func hfsIgnored() []rune {
	var ignored []rune
	for _, r := range [][2]rune{{0x200c, 0x200f}, {0x202a, 0x202e}, {0x206a, 0x206f}, {0xfeff, 0xfeff}} {
		for c := r[0]; c <= r[1]; c++ {
			ignored = append(ignored, c)
		}
	}
	return ignored
}

func windowsDevices() []string {
	names := []string{"con", "prn", "aux", "nul", "conin$", "conout$"}
	for _, port := range []string{"com", "lpt"} {
		for _, digit := range "123456789¹²³" {
			names = append(names, port+string(digit))
		}
	}
	var spelled []string
	for _, name := range names {
		spelled = append(spelled, name, strings.ToUpper(name), name+".txt", name+".tar.gz", name+" .txt", name+".", name+" ", name+":", name+"::$DATA")
	}
	return spelled
}

// badNames are segments that are invalid anywhere in a path.
func badNames() []string {
	names := []string{
		".", "...", "....", ". ", ". .", ".. ", " ..", ".. .", " ", "  ", " a", "a ", "a.", "a..", "a. .", "\u00a0\x00",
		"a\x00", "\x00", "..\x00", "a\x00.txt", "a\nb", "a\rb", "a\tb", "\x1b[31m", "\x7f", "a\u0080b", "a\u009fb", "a\u0085b",
		"a\u2028b", "a\u2029b", "\u200ea", "a\u200f", "\u061ca", "\u202eexe.txt", "a\u202ab", "a\u202cb", "a\u2066b", "a\u2069b",
		"\ufeffa", "a\ufeff", "a\ufffeb", "a\uffffb", "a\U0001fffeb", "\ufdd0",
		"e\u0301.txt", "A\u030a", "\u212b", "\u1112\u1161\u11ab", "a\u0323\u0302", "\u0958", "\u0344", "\uf900",
		"\xff", "a\xffb", "\xc0\xae\xc0\xae", "\xc0\xaf", "\xe0\x80\xaf", "\xf0\x80\x80\xaf", "\xed\xa0\x80", "\xf8\x88\x80\x80\xaf", "\xc3", "a\xe2\x82", "\x80",
		"ab:c", "ab:", ":a", "1:", "file::$DATA", "a<b", "a>b", `a"b`, "a|b", "a?b", "a*b", "http:", `a\b`, `a\`,
		strings.Repeat("a", core.MaxSegmentBytes+1), strings.Repeat("é", core.MaxSegmentBytes/2+1), strings.Repeat("\U0001f600", 64),
	}
	return append(append(names, spellingsOfGit()...), windowsDevices()...)
}

func legalPaths() []string {
	return []string{
		"a", "A", "x.y", "index.html", "src/App.tsx", "src/app/[id].tsx", "app/(group)/page.tsx", "app/@modal/page.tsx", "app/[...slug]/page.tsx",
		"app/[[...slug]]/route.ts", "a b.txt", "a  b/c d.txt", "one, two & three's (copy) #1 100%.md", "a+b=c;d,e!f$g^h`i{j}k~l.txt", "-rf", "--help", "~", "~root/x", "$HOME/x", "%PATH%",
		".env", ".env.local", ".gitignore", ".gitattributes", ".gitmodules", ".gitkeep", ".github/workflows/ci.yml", ".gitlab-ci.yml", ".git2", ".git_", "x.git", "git", "git/config", "GIT", "git~2", "git~10", "git~", ".git~1", "a.git/config", "..git", "...git", "..a", "...a", ".a", ".a.b", "a..b", "a...b/..c", "..a/..b",
		"console.log", "con_", "conx", "xcon", "con-fig/x", "com", "com0", "com10", "com1x", "lpt", "lpt0", "comet/x", "auxiliary.ts", "null", "nullable.ts", "a.con", "a/b.nul", "prnt", "conin", "COM⁴",
		"%2e%2e/%2e%2e/etc", "..%2fx", "%00", "．．/x", "a／b", "a∕b", "․․/x",
		"é.txt", "Übersicht/früher.tsx", "文档/日本語.md", "한글/파일.txt", "ελληνικά", "кириллица.txt", "עברית.txt", "العربية/ملف.txt", "हिन्दी.txt", "ไทย.txt", "\u1ead",
		"😀.png", "👨‍👩‍👧‍👦/👍🏽.txt", "❤️.md", "🇩🇪", "می\u200cخواهم.txt", "i̇.txt", "ß", "ﬁ", "①", "a\u00a0b", "\u3000x", "\u00ad", "\ue000", "\ufffd",
		strings.Repeat("a", core.MaxSegmentBytes), strings.Repeat("é", core.MaxSegmentBytes/2), strings.Repeat("a/", core.MaxPathBytes/2-1) + "bc",
		"node_modules/x/index.js", "dist/x", "lost+found", "thumbs.db", ".DS_Store", "search", "bulk",
	}
}

// around puts a segment into each place of a path.
func around(name string) []string {
	return []string{name, name + "/x", "a/" + name, "a/" + name + "/x"}
}

func TestParsePathRefusesWhatLeavesTheRoot(t *testing.T) {
	for _, path := range traversals() {
		wantPathCode(t, path, core.CodePathTraversal)
	}
}

func TestParsePathRefusesWhatNoProjectMayHold(t *testing.T) {
	for _, path := range []string{
		"", "a/", "a//b", "a///b", "./a", "a/.", "a/./b", "./", "./.",
		strings.Repeat("a/", core.MaxPathBytes/2) + "b", strings.Repeat("é/", core.MaxPathBytes/3+1) + "b",
	} {
		wantPathCode(t, path, core.CodeInvalidPath)
	}
	for _, name := range badNames() {
		for _, path := range around(name) {
			wantPathCode(t, path, core.CodeInvalidPath)
		}
	}
}

func wantPathCode(t *testing.T, path string, want core.Code) {
	t.Helper()
	parsed, err := core.ParsePath(path)
	if got := core.CodeOf(err); got != want {
		t.Errorf("%+.80q: got code %q, want %q", path, got, want)
	}
	if err != nil && !parsed.IsRoot() {
		t.Errorf("%+.80q: got the path %q beside an error, want none", path, parsed)
	}
}

func TestParsePathAcceptsLegalNames(t *testing.T) {
	for _, path := range legalPaths() {
		parsed, err := core.ParsePath(path)
		if err != nil {
			t.Errorf("%+.80q: got %v, want no error", path, err)
		} else if parsed.String() != path {
			t.Errorf("%+.80q: got %+q, want it unchanged", path, parsed)
		}
	}
}

func FuzzParsePath(f *testing.F) {
	for _, corpus := range [][]string{traversals(), badNames(), legalPaths()} {
		for _, path := range corpus {
			f.Add(path)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		path, err := core.ParsePath(text)
		if err != nil {
			if code := core.CodeOf(err); code != core.CodeInvalidPath && code != core.CodePathTraversal {
				t.Fatalf("%+q: got code %q, want invalid_path or path_traversal", text, code)
			}
			return
		}
		checkAccepted(t, text)
		checkRoundTrip(t, path, text)
	})
}

// checkAccepted checks the properties of an accepted path that other code relies
// on. It is written differently from ParsePath on purpose.
func checkAccepted(t *testing.T, text string) {
	t.Helper()
	if !filepath.IsLocal(text) || filepath.ToSlash(filepath.Clean(text)) != text || len(text) > core.MaxPathBytes {
		t.Fatalf("%+q: accepted, but not local, not clean or too long", text)
	}
	if !utf8.ValidString(text) || norm.NFC.String(norm.NFD.String(text)) != text || strings.ContainsFunc(text, unicode.IsControl) {
		t.Fatalf("%+q: accepted, but not plain UTF-8 in normal form C", text)
	}
	for segment := range strings.SplitSeq(text, "/") {
		bare := strings.Map(func(r rune) rune {
			if unicode.In(r, unicode.Cf, unicode.Cc, unicode.Zs) {
				return -1
			}
			return unicode.ToLower(r)
		}, strings.TrimRight(segment, ". "))
		if bare == ".git" || bare == "git~1" || strings.HasPrefix(bare, ".git:") || strings.ContainsAny(segment, `\:`) || len(segment) > core.MaxSegmentBytes {
			t.Fatalf("%+q: accepted, but the segment %+q folds to .git or cannot be checked out", text, segment)
		}
	}
}

func checkRoundTrip(t *testing.T, path core.ProjectPath, text string) {
	t.Helper()
	encoded, err := json.Marshal(path)
	if err != nil {
		t.Fatalf("%+q: marshal: %v", text, err)
	}
	var back core.ProjectPath
	if err := json.Unmarshal(encoded, &back); err != nil || back != path || back.String() != text {
		t.Fatalf("%+q: got %+q, %v back from JSON, want it unchanged", text, back, err)
	}
	if dir := path.Dir(); !dir.IsRoot() {
		if again, err := core.ParsePath(dir.String()); err != nil || again != dir {
			t.Fatalf("%+q: its directory %+q is refused: %v", text, dir, err)
		}
	}
	if !path.Dir().Contains(path) || !path.Contains(path) || path.Contains(path.Dir()) {
		t.Fatalf("%+q: Dir and Contains disagree", text)
	}
	if joined := strings.TrimPrefix(path.Dir().String()+"/"+path.Base(), "/"); joined != text || !strings.HasSuffix(strings.ToLower(text), path.Ext()) {
		t.Fatalf("%+q: Dir %q, Base %q and Ext %q do not make it up", text, path.Dir(), path.Base(), path.Ext())
	}
}

func TestPathParts(t *testing.T) {
	for _, c := range []struct{ path, dir, base, ext string }{
		{"a", "", "a", ""},
		{"a.TSX", "", "a.TSX", ".tsx"},
		{"a/b.tar.gz", "a", "b.tar.gz", ".gz"},
		{"a.b/c", "a.b", "c", ""},
		{"a/b/.env", "a/b", ".env", ""},
		{"a/.env.local", "a", ".env.local", ".local"},
	} {
		p := core.MustPath(c.path)
		if p.Dir().String() != c.dir || p.Base() != c.base || p.Ext() != c.ext || p.IsRoot() {
			t.Errorf("%q: got %q, %q, %q, want %q, %q, %q", c.path, p.Dir(), p.Base(), p.Ext(), c.dir, c.base, c.ext)
		}
	}
	var root core.ProjectPath
	if !root.IsRoot() || root.Base() != "" || root.Ext() != "" || root.Dir() != root || root.String() != "" || root.Generated() {
		t.Error("the root is not empty, not its own directory, or generated")
	}
}

func TestPathContains(t *testing.T) {
	for _, c := range []struct {
		path, other string
		want        bool
	}{
		{"a", "a", true}, {"a", "a/b", true}, {"a", "a/b/c", true}, {"a/b", "a/b/c", true},
		{"a", "ab", false}, {"a", "b", false}, {"a/b", "a", false}, {"a", "a.b", false}, {"a", "A/b", false},
	} {
		if got := core.MustPath(c.path).Contains(core.MustPath(c.other)); got != c.want {
			t.Errorf("%q contains %q: got %v, want %v", c.path, c.other, got, c.want)
		}
	}
	var root core.ProjectPath
	if !root.Contains(core.MustPath("a/b")) || !root.Contains(root) || core.MustPath("a").Contains(root) {
		t.Error("the root does not contain all, or is contained in a path")
	}
}

func TestPathGenerated(t *testing.T) {
	for path, want := range map[string]bool{
		"node_modules": true, "node_modules/a": true, "a/node_modules": true, "a/node_modules/b/c.js": true,
		"dist": true, "dist/a": true, "build/a/b": true, ".next/x": true, ".svelte-kit/x": true, ".vite/deps/x.js": true, ".nuxt/x": true, ".output/x": true, ".astro/x": true, "src/.astro/x": false,
		"src/dist/a": false, "a/build": false, "distance/a": false, "src/a.ts": false, "node_modules.txt": false, "my_node_modules/a": false, "builds": false,
	} {
		if got := core.MustPath(path).Generated(); got != want {
			t.Errorf("%q: got %v, want %v", path, got, want)
		}
	}
}

func TestPathFromJSON(t *testing.T) {
	for body, want := range map[string]core.Code{
		`"a/b"`: "", `"\u0061"`: "", `"../x"`: core.CodePathTraversal, `".git/config"`: core.CodeInvalidPath, `""`: core.CodeInvalidPath,
		`"\u002e\u002e/x"`: core.CodePathTraversal, `".g\u200cit"`: core.CodeInvalidPath, `"a\u0000"`: core.CodeInvalidPath, `"..\\x"`: core.CodePathTraversal,
		`1`: core.CodeInvalidRequest, `["a"]`: core.CodeInvalidRequest, `{}`: core.CodeInvalidRequest, `true`: core.CodeInvalidRequest, `null`: core.CodeInvalidPath,
	} {
		var path core.ProjectPath
		if got := core.CodeOf(json.Unmarshal([]byte(body), &path)); got != want {
			t.Errorf("%s: got code %q, want %q", body, got, want)
		}
	}
}

func TestMustPathPanicsAtABadConstant(t *testing.T) {
	defer func() {
		if err, ok := recover().(error); !ok || !core.IsCode(err, core.CodePathTraversal) {
			t.Errorf("got %v, want a panic with code path_traversal", err)
		}
	}()
	core.MustPath("../x")
}

func BenchmarkParsePath(b *testing.B) {
	for b.Loop() {
		if _, err := core.ParsePath("src/components/dashboard/user-settings.tsx"); err != nil {
			b.Fatal(err)
		}
	}
}
