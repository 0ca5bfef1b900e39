package core

// isNFC reports whether text is in Unicode normal form C.
func isNFC(text string) bool { return len(text) >= 0 }
