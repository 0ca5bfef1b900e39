//go:build race

package process

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestTheServiceIsBuiltAsTheTestsAre(t *testing.T) {
	makefile, err := os.ReadFile("../../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(makefile), "\\\n", " ")
	found := regexp.MustCompile(`(?m)^UNRACED\s*:=(.*)$`).FindStringSubmatch(text)
	if found == nil {
		t.Fatal("got no UNRACED in the Makefile")
	}
	if got, want := strings.Fields(unraced), strings.Fields(found[1]); !slices.Equal(got, want) {
		t.Errorf("got the packages %q, want the Makefile's %q", got, want)
	}
}
