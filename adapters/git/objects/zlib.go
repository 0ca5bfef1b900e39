package objects

import (
	"bytes"
	"compress/zlib"
	"io"
	"sync"
)

// deflaters is a pool, because each deflater holds buffers of hundreds of kilobytes.
var deflaters = sync.Pool{New: func() any {
	// The level is a constant of the package, so this never fails.
	w, _ := zlib.NewWriterLevel(io.Discard, zlib.BestSpeed)
	return w
}}

// Deflate appends a zlib stream of the parts to a buffer.
func Deflate(to *bytes.Buffer, parts ...[]byte) error {
	w := deflaters.Get().(*zlib.Writer)
	defer deflaters.Put(w)
	w.Reset(to)
	for _, part := range parts {
		if _, err := w.Write(part); err != nil {
			return err
		}
	}
	return w.Close()
}

// inflaters is a pool, because each inflater holds buffers of tens of kilobytes. It
// starts empty: a reader can only be created from data.
var inflaters sync.Pool

func inflateAll(deflated []byte) ([]byte, error) {
	source := bytes.NewReader(deflated)
	reader, ok := inflaters.Get().(io.ReadCloser)
	var err error
	if ok {
		err = reader.(zlib.Resetter).Reset(source, nil)
	} else {
		reader, err = zlib.NewReader(source)
	}
	if err != nil {
		return nil, err
	}
	defer inflaters.Put(reader)
	return io.ReadAll(reader)
}

// Inflate returns a reader of a zlib stream, and a function that returns it to the
// pool. If from is an io.ByteReader, no byte after the stream is read.
func Inflate(from io.Reader) (io.Reader, func(), error) {
	reader, ok := inflaters.Get().(io.ReadCloser)
	var err error
	if ok {
		err = reader.(zlib.Resetter).Reset(from, nil)
	} else {
		reader, err = zlib.NewReader(from)
	}
	if err != nil {
		return nil, nil, err
	}
	return reader, func() { inflaters.Put(reader) }, nil
}
