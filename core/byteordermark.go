package core

import "bytes"

// byteOrderMark begins the files of some editors.
const byteOrderMark = '\ufeff'

// WithoutMark returns a file's text without the byte order mark, which is no part of it.
func WithoutMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte(string(byteOrderMark))) }
