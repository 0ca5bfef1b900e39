package rules

import (
	"fmt"
	"go/ast"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

// participle is a name of a type that is one word and ends as participles do.
var participle = regexp.MustCompile(`^[A-Za-z][a-z]+(ed|ing)$`)

// nouns returns the names that end as participles do, and name things.
func nouns() map[string]bool {
	return words("briefing encoding feed finding listing need ordering recording rendering seed setting standing thinking timing")
}

// strays returns words that name no thing and do not end as participles do: irregular
// participles, adjectives, adverbs, pronouns and prepositions.
func strays() map[string]bool {
	return words("alone begun between bound broken built common done endless exclusive given gone heard held inside kept known late " +
		"lean lost made mortal none once others outside own polite ran read remote said seen seldom sent shown soon spent taken " +
		"told with without written")
}

func words(list string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		all[word] = true
	}
	return all
}

// TestTypesAreNouns checks that no type is called by a participle or another word that names
// no thing: a reader has to guess what a "kept" or a "serving" is.
func TestTypesAreNouns(t *testing.T) {
	t.Parallel()
	found, err := parseSources(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, complaint := range found.misnamed() {
		t.Error(complaint)
	}
}

// TestTheRuleOfNounsBites plays the rule on types of which it must refuse some.
func TestTheRuleOfNounsBites(t *testing.T) {
	t.Parallel()
	for name, refused := range map[string]bool{
		"kept": true, "Said": true, "serving": true, "Merged": true, "none": true,
		"finding": false, "Listing": false, "message": false, "keptMessage": false, "king": false,
	} {
		for where, text := range map[string]string{
			"of a package":  "package p\n\ntype " + name + " struct{}\n",
			"of a function": "package p\n\nfunc f() {\n\ttype " + name + " struct{}\n}\n",
		} {
			found, err := parseSources(fs.FS(fstest.MapFS{"core/p/p.go": {Data: []byte(text)}}))
			if err != nil {
				t.Fatal(err)
			}
			if got := found.misnamed(); (len(got) == 1) != refused {
				t.Errorf("type %s %s: got %q, want refused: %v", name, where, got, refused)
			}
		}
	}
}

// misnamed returns a sentence for every type whose name is no noun.
func (s *sources) misnamed() []string {
	known, strays := nouns(), strays()
	var all []string
	for _, file := range s.files {
		ast.Inspect(file.syntax, func(node ast.Node) bool {
			if spec, is := node.(*ast.TypeSpec); is {
				name := strings.ToLower(spec.Name.Name)
				if strays[name] || participle.MatchString(spec.Name.Name) && !known[name] {
					all = append(all, fmt.Sprintf("%s: the name of the type %s is no noun: call it what it is", s.positions.Position(spec.Pos()), spec.Name.Name))
				}
			}
			return true
		})
	}
	return all
}
