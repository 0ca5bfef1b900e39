package rules

import (
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// A reader can survey mostFiles files at a glance. More than mostAlike files with the same
// prefix should become a package of that name. Test files do not count.
const (
	mostFiles = 25
	mostAlike = 3
)

// largePackages are packages of more files than mostFiles, and why.
func largePackages() map[string]string {
	return map[string]string{
		"core":                    "the vocabulary of the whole service is one idea, a noun a file",
		"adapters/bwrap":          "commands, tools, servers, type checks and language servers run in one sandbox, and share how it is set up",
		"adapters/bunstore":       "one database, a table a file, over one connection or one transaction",
		"adapters/memory/storage": "one database, a table a file, as in adapters/bunstore",
		"ports/storage":           "one port, a noun a file, as in adapters/bunstore",
	}
}

// alikeFiles are the beginnings of names that more files than mostAlike share, as
// package and beginning, and why.
func alikeFiles() map[string]string {
	return map[string]string{
		"adapters/npm mirror": "the mirror serves what the resolver fetches and keeps: its documents, its archives, its own address in them",
	}
}

// TestPackageSizes checks packages against mostFiles and mostAlike, and that the
// exceptions are needed.
func TestPackageSizes(t *testing.T) {
	t.Parallel()
	found, err := parseSources(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, complaint := range found.oversized(largePackages(), alikeFiles()) {
		t.Error(complaint)
	}
}

// oversized returns a sentence for every package that has too many files, or too many
// that are called alike, and for every exception that nothing needs.
func (s *sources) oversized(large, alike map[string]string) []string {
	packages := map[string][]string{}
	for _, file := range s.files {
		if !file.isTest() {
			packages[file.dir()] = append(packages[file.dir()], strings.TrimSuffix(path.Base(file.name), ".go"))
		}
	}
	large, alike = maps.Clone(large), maps.Clone(alike)
	var all []string
	for dir, names := range packages {
		if len(names) > mostFiles && large[dir] == "" {
			all = append(all, fmt.Sprintf("%s has %d files, want at most %d: divide it, or say in largePackages why it is one idea", dir, len(names), mostFiles))
		}
		if len(names) > mostFiles {
			delete(large, dir)
		}
		for beginning, count := range beginnings(names) {
			if alike[dir+" "+beginning] == "" {
				all = append(all, fmt.Sprintf("%s has %d files that begin with %q, want at most %d: give them a package, or say in alikeFiles why they have none", dir, count, beginning, mostAlike))
			}
			delete(alike, dir+" "+beginning)
		}
	}
	for dir := range large {
		all = append(all, fmt.Sprintf("%s has no more than %d files: take it out of largePackages", dir, mostFiles))
	}
	for beginning := range alike {
		all = append(all, fmt.Sprintf("%q begins no more than %d files: take it out of alikeFiles", beginning, mostAlike))
	}
	slices.Sort(all)
	return all
}

// beginnings counts the files that share a prefix: the name of one of them, or the part
// before its first underscore. It returns prefixes with more than mostAlike files.
func beginnings(names []string) map[string]int {
	counts := map[string]int{}
	for _, name := range names {
		word, _, _ := strings.Cut(name, "_")
		for _, beginning := range []string{word, name} {
			counts[beginning] = 0
			for _, other := range names {
				if strings.HasPrefix(other, beginning) {
					counts[beginning]++
				}
			}
		}
	}
	maps.DeleteFunc(counts, func(_ string, count int) bool { return count <= mostAlike })
	return counts
}

func TestPackageSizesBite(t *testing.T) {
	t.Parallel()
	many := func(prefix string, n int) map[string]string {
		files := map[string]string{}
		for i := range n {
			files[fmt.Sprintf("%s%c.go", prefix, 'a'+i)] = "package x\n"
		}
		return files
	}
	with := func(files map[string]string, more ...string) map[string]string {
		for _, name := range more {
			files[name] = "package x\n"
		}
		return files
	}
	none := map[string]string{}
	for name, c := range map[string]struct {
		files        map[string]string
		large, alike map[string]string
		want         string
	}{
		"a package at the bound":            {many("x/", mostFiles), none, none, ""},
		"tests do not count":                {with(many("x/", mostFiles), "x/z_test.go", "x/y_test.go"), none, none, ""},
		"a package beyond the bound":        {many("x/", mostFiles+1), none, none, "x has 26 files"},
		"an exception":                      {many("x/", mostFiles+1), map[string]string{"x": "one idea"}, none, ""},
		"an exception without a reason":     {many("x/", mostFiles+1), map[string]string{"x": ""}, none, "x has 26 files"},
		"an exception that nothing needs":   {many("x/", 1), map[string]string{"x": "one idea"}, none, "take it out of largePackages"},
		"three files alike":                 {many("x/word_", mostAlike), none, none, ""},
		"four files alike":                  {many("x/word_", mostAlike+1), none, none, `x has 4 files that begin with "word"`},
		"four files alike with the word":    {with(many("x/word_", mostAlike), "x/word.go"), none, none, `x has 4 files that begin with "word"`},
		"four files alike in one word":      {with(many("x/word", mostAlike), "x/word.go"), none, none, `x has 4 files that begin with "word"`},
		"four files alike, with a reason":   {many("x/word_", mostAlike+1), none, map[string]string{"x word": "one idea"}, ""},
		"a reason for what is gone":         {many("x/word_", 1), none, map[string]string{"x word": "one idea"}, "take it out of alikeFiles"},
		"four files alike in four packages": {with(many("x/word_", mostAlike), "y/word_d.go"), none, none, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := sourcesOf(t, c.files).oversized(c.large, c.alike)
			if c.want == "" && len(found) > 0 || c.want != "" && (len(found) != 1 || !strings.Contains(found[0], c.want)) {
				t.Errorf("got %q, want %q alone", found, c.want)
			}
		})
	}
}
