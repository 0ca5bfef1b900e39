package recording

// Break closes the file behind the recording's back, as a disk that fails does.
func (f *File) Break() error { return f.file.Close() }
