package files

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

// badPaths are paths that no door may let through, with the code of the answer.
func badPaths() map[string]core.Code {
	paths := map[string]core.Code{
		"../x": core.CodePathTraversal, "..": core.CodePathTraversal, "a/../../x": core.CodePathTraversal, "a/..": core.CodePathTraversal,
		"a/../b": core.CodePathTraversal, "/etc/passwd": core.CodePathTraversal, "//etc/passwd": core.CodePathTraversal,
		`..\x`: core.CodePathTraversal, `a\..\..\x`: core.CodePathTraversal, `\etc`: core.CodePathTraversal, `\\host\share`: core.CodePathTraversal,
		"C:/x": core.CodePathTraversal, `c:\x`: core.CodePathTraversal, "C:x": core.CodePathTraversal, "../../../../../../etc/passwd": core.CodePathTraversal,
		"a//b": core.CodeInvalidPath, "a/./b": core.CodeInvalidPath, ".": core.CodeInvalidPath, "./a": core.CodeInvalidPath, "a/": core.CodeInvalidPath,
		`a\b`: core.CodeInvalidPath, "a\x00b": core.CodeInvalidPath, "a\nb": core.CodeInvalidPath, "a\x7f": core.CodeInvalidPath,
		"a\u0301": core.CodeInvalidPath, "a\u202eb": core.CodeInvalidPath, "con": core.CodeInvalidPath, "a/NUL.txt": core.CodeInvalidPath,
		"ab:stream": core.CodeInvalidPath, "a ": core.CodeInvalidPath, "a.": core.CodeInvalidPath, "a?b": core.CodeInvalidPath,
		strings.Repeat("a", 256): core.CodeInvalidPath, strings.Repeat("a/", 512) + "a": core.CodeInvalidPath,
	}
	for _, git := range []string{
		".git", ".GIT", ".Git", ".git/config", ".git/hooks/pre-commit", "a/.git/config", "a/b/.gIt", "git~1", "GIT~1/config", ".git ", ".git.",
		".git. /x", ".git::$INDEX_ALLOCATION", ".g\u200cit/config", ".gi\u200dt", "\u200e.git", ".git\ufeff", "a/.g\u206fit/x", ".git/index.lock",
	} {
		paths[git] = core.CodeInvalidPath
	}
	return paths
}

func TestNoDoorLetsABadPathThrough(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		before := w.list()
		for path, code := range badPaths() {
			w.wantRefused(path, code)
		}
		if after := w.list(); !slices.Equal(before, after) {
			t.Errorf("got the files %q, want those before: %q", after, before)
		}
	})
}

// wantRefused tries a path through every door.
func (w *world) wantRefused(path string, code core.Code) {
	w.Helper()
	check := func(door string, got reply) {
		w.Helper()
		if got.StatusCode != 400 || got.Request.Method != "HEAD" && got.text("error") != string(code) {
			w.Errorf("%s with %.60q: got %d %.200s, want 400 %s", door, path, got.StatusCode, got.body, code)
		}
	}
	for _, method := range []string{"GET", "HEAD", "PUT", "DELETE"} {
		check(method+", escaped", w.raw(method, w.file(url.PathEscape(path)), ""))
		if plain := strings.NewReplacer("%2F", "/", "%5C", `\`).Replace(url.PathEscape(path)); plain != "" && !strings.HasSuffix(plain, "files/") {
			check(method+", slashes as they are", w.raw(method, w.file(plain), ""))
		}
	}
	text, err := json.Marshal(path)
	must(w, err)
	for door, operation := range map[string]string{
		"bulk write":       `{"op":"write","path":%s,"content":"x"}`,
		"bulk delete":      `{"op":"delete","path":%s}`,
		"bulk rename from": `{"op":"rename","from":%s,"to":"x"}`,
		"bulk rename to":   `{"op":"rename","from":"index.html","to":%s}`,
	} {
		check(door, w.bulk(`{"operations":[{"op":"write","path":"good","content":"x"},`+fmt.Sprintf(operation, text)+`]}`))
	}
}

func TestSpellingsThatOnlyURLsHave(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for target, code := range map[string]core.Code{
			"%2e%2e/x": core.CodePathTraversal, "..%2fx": core.CodePathTraversal, "%2e%2e%2fx": core.CodePathTraversal, "a/%2e%2e/%2e%2e/x": core.CodePathTraversal,
			"..%5cx": core.CodePathTraversal, "%2fetc/passwd": core.CodePathTraversal, "/etc/passwd": core.CodePathTraversal, "..": core.CodePathTraversal,
			"%2e": core.CodeInvalidPath, "%2egit/config": core.CodeInvalidPath, ".%67it/config": core.CodeInvalidPath, "a%2f.git%2fconfig": core.CodeInvalidPath,
			"a%00b": core.CodeInvalidPath, "%ff": core.CodeInvalidPath, "%c0%ae%c0%ae/x": core.CodeInvalidPath, "a%0ab": core.CodeInvalidPath,
		} {
			for _, method := range []string{"GET", "PUT", "DELETE"} {
				got := w.raw(method, w.file(target), "")
				if got.StatusCode != 400 || got.text("error") != string(code) {
					t.Errorf("%s %s: got %d %.200s, want 400 %s", method, target, got.StatusCode, got.body, code)
				}
			}
		}
		// Escaped twice is a name with a percent sign, not a way out.
		w.want(w.raw("PUT", w.file("%252e%252e%252fx"), "1"), 201)
		if !slices.Contains(w.list(), "%2e%2e%2fx") {
			t.Errorf("got %q, want a file named as it was written", w.list())
		}
	})
}

func TestNamesThatAreUnusualButGood(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, path := range []string{
			"été/naïve ☃.txt", ".gitignore", ".github/workflows/ci.yml", "a.git/x", "[id]/page.tsx", "a+b&c=d;e,f@g!h'(i)~j$k", "%41", "a%2Fb",
			"..a", "a..b", "-rf", "#hash", strings.Repeat("é", 127), strings.Repeat(strings.Repeat("d", 200)+"/", 4) + "f",
		} {
			w.want(w.put(url.PathEscape(path), path), 201)
			got := w.get(w.file(url.PathEscape(path)))
			if got.body != path || !slices.Contains(w.list(), path) {
				t.Errorf("%q: got %q, listed %t", path, got.body, slices.Contains(w.list(), path))
			}
		}
	})
}

func TestLinksAndDevicesLeadNowhere(t *testing.T) {
	w := newWorld(t, onDisk(t))
	outside := t.TempDir()
	must(t, os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o644))
	tree := filepath.Join(w.root, w.project)
	for name, target := range map[string]string{
		"out": outside, "file": filepath.Join(outside, "secret"), "up": "..", "repo": ".git", "loop": "loop", "inside": "index.html",
	} {
		must(t, os.Symlink(target, filepath.Join(tree, name)))
	}
	must(t, syscall.Mkfifo(filepath.Join(tree, "pipe"), 0o644))
	for _, path := range []string{"out/secret", "out/new", "file", "up/" + w.project + "/index.html", "repo/config", "repo/HEAD", "loop", "loop/x", "pipe", "inside"} {
		done := make(chan reply, 1)
		go func() { done <- w.get(w.file(path)) }()
		if got := conformance.Await(t, "the answer of "+path, done); got.StatusCode < 400 || got.StatusCode >= 500 || strings.Contains(got.body, "secret") {
			t.Errorf("GET %s: got %d %s, want a refusal", path, got.StatusCode, got.body)
		}
	}
	for _, path := range []string{"out/new", "up/new", "repo/config", "loop/x", "inside/x"} {
		if got := w.put(path, "evil"); got.StatusCode < 400 || got.StatusCode >= 500 {
			t.Errorf("PUT %s: got %d %s, want a refusal", path, got.StatusCode, got.body)
		}
		got := w.bulk(fmt.Sprintf(`{"operations":[{"op":"rename","from":"style.css","to":%q}]}`, path))
		if !strings.Contains(got.body, `"status":"error"`) && got.StatusCode == 200 {
			t.Errorf("rename to %s: got %s, want a refusal", path, got.body)
		}
	}
	for _, path := range w.list() {
		if path != "index.html" && path != "style.css" {
			t.Errorf("%s is listed, want the two files of the template only", path)
		}
	}
	if found := w.get(w.file("search?q=secret")); !strings.Contains(found.body, `"matches":[]`) {
		t.Errorf("got %s, want nothing from outside", found.body)
	}
	if entries, err := os.ReadDir(outside); err != nil || len(entries) != 1 {
		t.Errorf("outside: got %v, %v, want only the secret", entries, err)
	}
	if content, err := os.ReadFile(filepath.Join(outside, "secret")); err != nil || string(content) != "secret" {
		t.Errorf("outside: got %q, %v", content, err)
	}
}
