package settings

// Recording says whether the exchanges with AI providers are recorded.
type Recording struct {
	// Dir is the folder for recordings, "" for none.
	Dir string
	// Images records the content of pictures, too.
	Images bool
}

// readRecording reads the folder of recordings. Nothing is recorded without one.
func readRecording(r *reader) Recording {
	s := Recording{Images: r.choice("AI_RECORD_IMAGES", "off", "off", "on") == "on"}
	if r.env("AI_RECORD") != "" {
		s.Dir = r.path("AI_RECORD", "")
	}
	if s.Images && s.Dir == "" {
		r.fail("AI_RECORD_IMAGES", "on", "off without AI_RECORD, the folder for recordings")
	}
	return s
}
