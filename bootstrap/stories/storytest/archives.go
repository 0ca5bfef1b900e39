package storytest

import (
	"archive/zip"
	"bytes"
	"io"
	"mime/multipart"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Arrival returns the files of a project that was made elsewhere, a file of testdata/arrivals, as pairs
// of names and contents. folder stands before the names.
func Arrival(t testing.TB, file, folder string) []string {
	t.Helper()
	pairs := Unpacked(t, filepath.Join("..", "..", "..", "testdata", "arrivals", file+".txtar"))
	for i := 0; i < len(pairs); i += 2 {
		pairs[i] = folder + pairs[i]
	}
	return pairs
}

// Unpacked reads an archive in the format of Go's txtar, as pairs of names and contents: a line
// "-- name --" begins a file, and what stands before the first is a comment.
func Unpacked(t testing.TB, path string) []string {
	t.Helper()
	archive, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var pairs []string
	for line := range bytes.Lines(archive) {
		name, found := strings.CutPrefix(string(line), "-- ")
		if name, ends := strings.CutSuffix(strings.TrimSpace(name), " --"); found && ends {
			pairs = append(pairs, name, "")
		} else if len(pairs) > 0 {
			pairs[len(pairs)-1] += string(line)
		}
	}
	return pairs
}

// Zipped returns a zip archive of pairs of names and contents.
func Zipped(t testing.TB, pairs ...string) []byte {
	t.Helper()
	headers := make([]zip.FileHeader, 0, len(pairs)/2)
	contents := make([]string, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		headers, contents = append(headers, zip.FileHeader{Name: pairs[i], Method: zip.Deflate}), append(contents, pairs[i+1])
	}
	return ZippedAs(t, headers, contents)
}

// ZippedAs packs each header with its content.
func ZippedAs(t testing.TB, headers []zip.FileHeader, contents []string) []byte {
	t.Helper()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for i := range headers {
		w, err := archive.CreateHeader(&headers[i])
		if err == nil && contents[i] != "" {
			_, err = io.WriteString(w, contents[i])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// Form is a body of type multipart/form-data.
type Form struct {
	io.Reader
	Kind string
}

// ContentType is the form's.
func (f Form) ContentType() string { return f.Kind }

// ImportForm is the form of an import. fields are pairs.
func ImportForm(t testing.TB, name string, archive []byte, fields ...string) Form {
	t.Helper()
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	for i := 0; i+1 < len(fields); i += 2 {
		if err := w.WriteField(fields[i], fields[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	file, err := w.CreateFormFile("file", "project.zip")
	if err == nil {
		_, err = file.Write(archive)
	}
	if err == nil && name != "" {
		err = w.WriteField("name", name)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return Form{&out, w.FormDataContentType()}
}

// ImportPath is where archives are imported into the caller's workspace.
func (c *Caller) ImportPath() string {
	return "/workspaces/" + string(c.Workspace) + "/projects/import"
}
