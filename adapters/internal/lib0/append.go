package lib0

// AppendUint appends a number.
func AppendUint(to []byte, n uint64) []byte {
	for n >= 0x80 {
		to = append(to, byte(n)|0x80)
		n >>= 7
	}
	return append(to, byte(n))
}

// AppendBytes appends bytes, preceded by their length.
func AppendBytes[T ~string | ~[]byte](to []byte, content T) []byte {
	return append(AppendUint(to, uint64(len(content))), content...)
}
