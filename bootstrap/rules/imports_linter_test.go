package rules

import (
	"flag"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// TestImportRulesAreTheLintersToo checks the settings of depguard, which checks imports
// in `make lint`, against the rules of this package. depguard only knows prefixes of
// packages, so some of its lists are wider than the rules: a pattern counts up to its
// first wildcard, and test-only places count where they are named without one. It sees
// neither build constraints nor what rule 7 forbids.
func TestImportRulesAreTheLintersToo(t *testing.T) {
	const settings = "../../.golangci.yml"
	text, err := os.ReadFile(settings)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(text), beginLists)
	got, after, ended := strings.Cut(rest, endLists)
	if !begun || !ended {
		t.Fatalf("%s lacks the lines %q and %q", settings, beginLists, endLists)
	}
	want := depguardLists(t)
	if got == want {
		return
	}
	if !*writeLists {
		t.Fatalf("%s says otherwise about imports than importRules, moduleOwners and testPackages: run make generate", settings)
	}
	if err := os.WriteFile(settings, []byte(before+beginLists+want+endLists+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

var writeLists = flag.Bool("linter", false, "write the import rules into the linter's settings")

// The test above writes the part of the settings between these lines.
const (
	beginLists = "        # Written by `make generate` from bootstrap/rules/imports_test.go.\n"
	endLists   = "        # End of what `make generate` writes.\n"
)

// depguardLists returns the rules as depguard's lists, in the order of the rules.
func depguardLists(t *testing.T) string {
	t.Helper()
	var text strings.Builder
	list := func(name, mode string, files, allow, deny []string, why string) {
		fmt.Fprintf(&text, "        %s:\n          list-mode: %s\n", name, mode)
		writeItems(&text, "files", files)
		writeItems(&text, "allow", allow)
		if len(deny) > 0 {
			text.WriteString("          deny:\n")
		}
		for _, denied := range deny {
			fmt.Fprintf(&text, "            - {pkg: %q, desc: %q}\n", denied, why)
		}
	}
	var earlier []string
	for _, rule := range importRules() {
		files := []string{filesIn(t, rule.place), "!$test"}
		for _, place := range earlier {
			if overlap(place, rule.place) {
				files = append(files, "!"+filesIn(t, place))
			}
		}
		earlier = append(earlier, rule.place)
		list("of-"+listName(rule.place), "lax", files, packagesIn(rule.may), []string{modulePath + "/"},
			fmt.Sprintf("rule %d of ARCHITECTURE.md, \"Which way imports go\"", rule.number))
	}
	list("of-tests", "lax", []string{"$test", "!" + filesIn(t, "bootstrap/**")}, nil, []string{modulePath + "/bootstrap"}, "rule 5: only programs import programs")
	list("for-tests", "lax", append([]string{"$all", "!$test"}, negated(t, testPackages())...), nil, exactly(testPackages()), "this package is for tests")
	// "go/" because depguard finds go.uber.org nearer to go/ast than the "go" of $gostd.
	modules := []string{"$gostd", "go/", modulePath + "/"}
	for _, owner := range moduleOwners() {
		modules = append(modules, owner.module+"$", owner.module+"/")
		list("module-"+listName(owner.module), "lax", append([]string{"$all"}, notOwners(t, owner)...), nil,
			[]string{owner.module + "$", owner.module + "/"}, fmt.Sprintf("rule 6: it belongs to %q", owner.owners))
	}
	list("modules", "strict", []string{"$all"}, modules, nil, "")
	return text.String()
}

func writeItems(text *strings.Builder, name string, items []string) {
	if len(items) > 0 {
		fmt.Fprintf(text, "          %s: [\"%s\"]\n", name, strings.Join(items, `", "`))
	}
}

// listName is a name for a list, of letters and dashes only.
func listName(place string) string {
	return strings.Trim(strings.NewReplacer("/", "-", ".", "-", "**", "all", "*", "each").Replace(place), "-")
}

// filesIn is the pattern of the Go files in a place. To depguard "**" is any text.
func filesIn(t *testing.T, place string) string {
	t.Helper()
	if place == "**" {
		return "$all"
	}
	before, deep := strings.CutSuffix(place, "/**")
	if strings.Contains(before, "**") {
		t.Fatalf("%s: depguard's settings cannot say this place", place)
	}
	if deep {
		return "${base-path}/" + before + "/**.go"
	}
	return "${base-path}/" + place + "/*.go"
}

// overlap reports whether an earlier place may hold packages of a later one.
func overlap(earlier, later string) bool {
	earlier, earlierDeep := strings.CutSuffix(earlier, "/**")
	later, laterDeep := strings.CutSuffix(later, "/**")
	first, second := strings.Split(earlier, "/"), strings.Split(later, "/")
	for i := range min(len(first), len(second)) {
		there, _ := path.Match(first[i], second[i])
		back, _ := path.Match(second[i], first[i])
		if !there && !back {
			return false
		}
	}
	return len(first) == len(second) || len(first) < len(second) && earlierDeep || len(first) > len(second) && laterDeep
}

// packagesIn returns the packages of this module in places, as prefixes, none of which is
// a prefix of another: depguard compares a package only with the nearest one.
func packagesIn(places []string) []string {
	var prefixes []string
	for _, place := range places {
		whole, deep := strings.CutSuffix(place, "/**")
		fixed, _, wild := strings.Cut(strings.ReplaceAll(whole, "<port>", "*"), "*")
		switch {
		case wild:
			prefixes = append(prefixes, modulePath+"/"+fixed[:strings.LastIndex(fixed, "/")+1])
		case deep:
			prefixes = append(prefixes, modulePath+"/"+whole+"$", modulePath+"/"+whole+"/")
		default:
			prefixes = append(prefixes, modulePath+"/"+whole+"$")
		}
	}
	slices.Sort(prefixes)
	prefixes = slices.Compact(prefixes)
	return slices.DeleteFunc(slices.Clone(prefixes), func(prefix string) bool {
		return slices.ContainsFunc(prefixes, func(wide string) bool {
			return strings.HasSuffix(wide, "/") && len(wide) < len(prefix) && strings.HasPrefix(prefix, wide)
		})
	})
}

// exactly are the packages that places name without a wildcard.
func exactly(places []string) []string {
	var named []string
	for _, place := range places {
		if !strings.Contains(place, "*") {
			named = append(named, modulePath+"/"+place+"$")
		}
	}
	return named
}

func negated(t *testing.T, places []string) []string {
	t.Helper()
	var files []string
	for _, place := range places {
		files = append(files, "!"+filesIn(t, place))
	}
	return files
}

// notOwners are the files that may not import a module.
func notOwners(t *testing.T, owner moduleOwner) []string {
	t.Helper()
	files := negated(t, owner.owners)
	for _, place := range owner.tests {
		if place == "**" {
			files = append(files, "!$test")
			continue
		}
		files = append(files, strings.TrimSuffix("!"+filesIn(t, place), ".go")+"_test.go")
	}
	return files
}
