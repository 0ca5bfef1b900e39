package checkout

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/index"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/atelierhq/atelier/core"
)

// file is the content and the mode of a file. The zero value means no file.
type file struct {
	hash plumbing.Hash
	mode filemode.FileMode
}

// exists reports whether there is a file.
func (f file) exists() bool { return f != file{} }

// filesOf returns the files of a commit by their path, none for the zero hash. Names that the
// file API refuses are an error, as are links.
func (f repository) filesOf(commit plumbing.Hash) (map[string]file, error) {
	found := map[string]file{}
	if commit.IsZero() {
		return found, nil
	}
	read, err := object.GetCommit(f.store, commit)
	if err != nil {
		return nil, err
	}
	return found, f.flatten(found, read.TreeHash, "")
}

func (f repository) flatten(into map[string]file, tree plumbing.Hash, prefix string) error {
	read, err := object.GetTree(f.store, tree)
	if err != nil {
		return err
	}
	for _, entry := range read.Entries {
		path := prefix + entry.Name
		if strings.Contains(entry.Name, "/") {
			return fmt.Errorf("the project has a file with the name %q, which cannot be kept", path)
		}
		if _, err := core.ParsePath(path); err != nil {
			return fmt.Errorf("the project has a file that cannot be kept: %w", err)
		}
		switch entry.Mode {
		case filemode.Dir:
			if err := f.flatten(into, entry.Hash, path+"/"); err != nil {
				return err
			}
		case filemode.Regular, filemode.Executable:
			into[path] = file{entry.Hash, entry.Mode}
		default:
			return fmt.Errorf("the project has %q, which is not a file", path)
		}
	}
	return nil
}

// content reads a file of the repository, nothing for none.
func (f repository) content(of file) ([]byte, error) {
	if !of.exists() {
		return nil, nil
	}
	blob, err := object.GetBlob(f.store, of.hash)
	if err != nil {
		return nil, err
	}
	reader, err := blob.Reader()
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	return io.ReadAll(reader)
}

// writeObject stores an object and returns its name.
func (f repository) writeObject(encode func(plumbing.EncodedObject) error) (plumbing.Hash, error) {
	made := f.store.NewEncodedObject()
	if err := encode(made); err != nil {
		return plumbing.ZeroHash, err
	}
	return f.store.SetEncodedObject(made)
}

// writeBlob stores the content of a file.
func (f repository) writeBlob(content []byte) (plumbing.Hash, error) {
	return f.writeObject(func(made plumbing.EncodedObject) error {
		made.SetType(plumbing.BlobObject)
		writer, err := made.Writer()
		if err != nil {
			return err
		}
		if _, err := writer.Write(content); err != nil {
			return err
		}
		return writer.Close()
	})
}

// writeTree stores the tree of files, which are below a prefix.
func (f repository) writeTree(files map[string]file, prefix string) (plumbing.Hash, error) {
	tree := &object.Tree{}
	below := map[string]map[string]file{}
	for path, one := range files {
		name, rest, isDir := strings.Cut(strings.TrimPrefix(path, prefix), "/")
		if !isDir {
			tree.Entries = append(tree.Entries, object.TreeEntry{Name: name, Mode: one.mode, Hash: one.hash})
			continue
		}
		if below[name] == nil {
			below[name] = map[string]file{}
		}
		below[name][rest] = one
	}
	for name, inside := range below {
		hash, err := f.writeTree(inside, "")
		if err != nil {
			return plumbing.ZeroHash, err
		}
		tree.Entries = append(tree.Entries, object.TreeEntry{Name: name, Mode: filemode.Dir, Hash: hash})
	}
	slices.SortFunc(tree.Entries, func(a, b object.TreeEntry) int { return strings.Compare(sortName(a), sortName(b)) })
	return f.writeObject(tree.Encode)
}

// sortName is what git sorts an entry of a tree by.
func sortName(entry object.TreeEntry) string {
	if entry.Mode == filemode.Dir {
		return entry.Name + "/"
	}
	return entry.Name
}

// writeIndex makes the index of stock clients that of a commit. It knows nothing of the files
// in the folder, so that these clients compare them once.
func (f repository) writeIndex(commit plumbing.Hash) error {
	files, err := f.filesOf(commit)
	if err != nil {
		return err
	}
	made := &index.Index{Version: 2}
	for path, one := range files {
		made.Entries = append(made.Entries, &index.Entry{Name: path, Hash: one.hash, Mode: one.mode})
	}
	return f.store.SetIndex(made)
}
