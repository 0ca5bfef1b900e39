package core

import "bytes"

// MaxLFSPointerBytes bounds a pointer of Git LFS, as its specification does.
const MaxLFSPointerBytes = 1024

// IsLFSPointer reports whether a file's content is a pointer of Git LFS: the content that it
// stands for is on another server.
func IsLFSPointer(content []byte) bool {
	return len(content) < MaxLFSPointerBytes && bytes.HasPrefix(content, []byte("version https://git-lfs.github.com/spec/v1\n"))
}
