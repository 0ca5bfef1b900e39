package evals

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/build"
)

// outcome is the state after a run, for checks to examine.
type outcome struct {
	// before and after are the project's files, by path.
	before, after map[string][]byte
	// pages are the HTML and the scripts of the built site.
	pages []byte
	// problem says why the project does not build, "" if it does.
	problem string
	// answer is the agent's last message.
	answer string
	// faults are what is wrong with the first page, if a check asks for that.
	faults []string
}

// pagesOf joins the text files of a site.
func pagesOf(files []build.File) []byte {
	var all []byte
	for _, file := range files {
		if extension := path.Ext(file.Path); extension == ".html" || extension == ".js" {
			all = append(append(all, file.Content...), '\n')
		}
	}
	return all
}

// named returns the files that match a pattern, sorted.
func (o outcome) named(pattern string) []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(o.after)) {
		if fits(pattern, name) {
			names = append(names, name)
		}
	}
	return names
}

func (o outcome) someFile(pattern string, good func([]byte) bool) string {
	names := o.named(pattern)
	if len(names) == 0 {
		return "there is no such file"
	}
	for _, name := range names {
		if good(o.after[name]) {
			return ""
		}
	}
	return "not found"
}

func (o outcome) noFile(pattern string, bad func([]byte) bool) string {
	names := o.named(pattern)
	if len(names) == 0 {
		return "there is no such file"
	}
	for _, name := range names {
		if bad(o.after[name]) {
			return "found in " + name
		}
	}
	return ""
}

func (o outcome) exists(pattern string, want bool) string {
	switch found := len(o.named(pattern)) > 0; {
	case found == want:
		return ""
	case found:
		return "it is there"
	}
	return "it is not there"
}

// changes returns the paths of changed, created and deleted files, sorted.
func (o outcome) changes() []string {
	var changed []string
	for name, content := range o.before {
		if now, kept := o.after[name]; !kept || !bytes.Equal(content, now) {
			changed = append(changed, name)
		}
	}
	for name := range o.after {
		if _, old := o.before[name]; !old {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	return changed
}

func (o outcome) unchanged(patterns []string) string {
	if !slices.ContainsFunc(slices.Collect(maps.Keys(o.before)), func(name string) bool { return fitsAny(patterns, name) }) {
		return "there was no such file"
	}
	for _, name := range o.changes() {
		if fitsAny(patterns, name) {
			return name + " is not what it was"
		}
	}
	return ""
}

func (o outcome) onlyChanged(patterns []string) string {
	changed := o.changes()
	if len(changed) == 0 {
		return "nothing was changed"
	}
	for _, name := range changed {
		if !fitsAny(patterns, name) {
			return name + " was changed, too"
		}
	}
	return ""
}

func (o outcome) changedLines(name string, most int) string {
	before, was := o.before[name]
	after, is := o.after[name]
	if !was || !is {
		return "there is no such file"
	}
	n := linesApart(before, after)
	if n == 0 {
		return "nothing was changed"
	}
	if n > most {
		return fmt.Sprintf("%d lines came or went", n)
	}
	return ""
}

// linesApart counts the lines that only one of the two texts has. A moved line does not
// count.
func linesApart(before, after []byte) int {
	counts := map[string]int{}
	for line := range strings.Lines(string(before)) {
		counts[line]--
	}
	for line := range strings.Lines(string(after)) {
		counts[line]++
	}
	n := 0
	for _, count := range counts {
		n += max(count, -count)
	}
	return n
}

func (o outcome) page(text string, want bool) string {
	if o.problem != "" {
		return "there is no page: " + o.problem
	}
	switch found := bytes.Contains(o.pages, []byte(text)); {
	case found == want:
		return ""
	case found:
		return "it is there"
	}
	return "it is not there"
}

func (o outcome) answers(pattern string) string {
	if matches(pattern)([]byte(o.answer)) {
		return ""
	}
	return fmt.Sprintf("the answer is %q", shorten(o.answer))
}

func (o outcome) plans(least int) string {
	steps, err := stepsOf(o.answer)
	if err != nil {
		return err.Error()
	}
	if steps < least {
		return fmt.Sprintf("it has %d", steps)
	}
	return ""
}

// maxShown bounds how much of a text a report shows, in characters.
const maxShown = 200

func shorten(text string) string {
	return core.ShortenChars(strings.Join(strings.Fields(text), " "), maxShown)
}
