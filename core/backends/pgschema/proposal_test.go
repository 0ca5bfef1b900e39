package pgschema

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestPropose(t *testing.T) {
	for _, name := range []string{"lovable", "dump"} {
		t.Run(name, func(t *testing.T) {
			sql, err := os.ReadFile(filepath.Join("testdata", name+".sql"))
			if err != nil {
				t.Fatal(err)
			}
			proposal, err := Propose(string(sql), "", nil)
			if err != nil {
				t.Fatal(err)
			}
			got := inWords(proposal)
			golden := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if want, err := os.ReadFile(golden); err != nil || got != string(want) {
				t.Errorf("got, %v:\n%s\nwant:\n%s", err, got, want)
			}
		})
	}
}

func inWords(p Proposal) string {
	var out strings.Builder
	for _, one := range p.Collections {
		out.WriteString(one.Text + "\n")
	}
	for _, note := range p.Notes {
		out.WriteString("- " + note.String() + "\n")
	}
	return out.String()
}
