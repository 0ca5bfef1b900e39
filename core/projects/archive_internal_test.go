package projects

import (
	"archive/zip"
	"bytes"
	"fmt"
	"testing"
)

// TestAnArchiveMayHoldAsManyFilesAsTheLimitSays, with long names and all.
func TestAnArchiveMayHoldAsManyFilesAsTheLimitSays(t *testing.T) {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for i := range maxArchiveFiles {
		name := fmt.Sprintf("a-folder-with-a-name-that-is-as-long-as-people-make-them/another-one/and-a-third/file-%d.component.test.tsx", i)
		// A compressor for each takes a megabyte, and the race detector has a pool forget every
		// fourth.
		if _, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store}); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	chosen, err := readArchive(Archive{ReaderAt: bytes.NewReader(out.Bytes()), Size: int64(out.Len())}, 1<<20)
	if err != nil || len(chosen.files) != maxArchiveFiles {
		t.Fatalf("got %v, want all files", err)
	}
}
