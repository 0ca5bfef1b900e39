package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestTheClientIsThatOfTheDescription wants `make studio` after changes of the description.
func TestTheClientIsThatOfTheDescription(t *testing.T) {
	const root = "../../.."
	want, err := client(root)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(root, clientFile))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the description makes: run make studio", clientFile)
	}
}
