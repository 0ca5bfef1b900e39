package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// notices maps the texts of licences to the components under them. A component is called
// "Go module <path> <version>", "npm package <name>@<version>", or by its name.
type notices map[string][]string

// add adds a text, as notices.txt has it.
func (n notices) add(component, text string) {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\f")
	}
	text = strings.Trim(strings.Join(lines, "\n"), "\n")
	if !slices.Contains(n[component], text) {
		n[component] = append(n[component], text)
	}
}

const (
	above = "\n================================================================================\n"
	below = "\n--------------------------------------------------------------------------------\n"
	intro = "Atelier contains the work of others, which is under the licences below. Each stands\nbelow the names of what it is for.\n"
)

// String lists every text once, below the names of all its components.
func (n notices) String() string {
	under := map[string][]string{}
	for component, texts := range n {
		for _, text := range texts {
			under[text] = append(under[text], component)
		}
	}
	var parts []string
	for text, components := range under {
		slices.Sort(components)
		parts = append(parts, above+strings.Join(components, "\n")+below+"\n"+text+"\n")
	}
	slices.Sort(parts)
	return intro + strings.Join(parts, "")
}

// parse parses what String wrote.
func parse(text string) notices {
	found := notices{}
	for _, part := range strings.Split(text, above)[1:] {
		components, licence, _ := strings.Cut(part, below)
		for _, component := range strings.Split(components, "\n") {
			found.add(component, licence)
		}
	}
	return found
}

// isLicence reports whether a file name is that of a licence.
func isLicence(name string) bool {
	return licenceName.MatchString(name) && !strings.HasSuffix(name, ".go")
}

var licenceName = regexp.MustCompile(`(?i)^((un)?licen[cs]e|copying|notice|patents)([-._][-._0-9a-z]*)?$`)

// merge adds the texts of other notices.
func (n notices) merge(others notices) error {
	for component, texts := range others {
		if len(texts) == 0 {
			return fmt.Errorf("%s has no licence", component)
		}
		for _, text := range texts {
			n.add(component, text)
		}
	}
	return nil
}
