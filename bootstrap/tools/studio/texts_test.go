package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// byHand matches numbers of things that are counted, joined or formatted without the rules
// of the text's language.
var byHand = regexp.MustCompile(`[!=]== '?1'? *(\?|&&|$)|toLocaleString\(|\.join\(', '\)|\? 's' :`)

// TestTextsCountByTheRulesOfTheirLanguage keeps texts from counting as English does: each
// language has a words.ts for that.
func TestTextsCountByTheRulesOfTheirLanguage(t *testing.T) {
	texts, err := filepath.Glob(filepath.Join(sources, "web", "text", "*", "*.ts"))
	if err != nil || len(texts) == 0 {
		t.Fatalf("got the texts %q (%v), want some", texts, err)
	}
	for _, name := range texts {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range byHand.FindAll(source, -1) {
			t.Errorf("%s: %s: use plural, number or list of words.ts", name, found)
		}
	}
}
