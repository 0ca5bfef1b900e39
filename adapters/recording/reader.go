package recording

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/atelierhq/atelier/core"
)

// maxReplayBytes bounds a recording that is read into memory.
const maxReplayBytes = 1 << 30

// tape is the content of a recording.
type tape struct {
	exchanges []exchange
	models    []core.Model
	// listed means that models is a provider's list.
	listed bool
}

// readFile reads a recording whole.
func readFile(path string) (*tape, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the recording cannot be opened")
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && info.Size() > maxReplayBytes {
		return nil, core.Errorf(core.CodePayloadTooLarge, "the recording has %d bytes, more than %d", info.Size(), maxReplayBytes)
	}
	return read(io.LimitReader(file, maxReplayBytes))
}

// read parses a recording. If the input is no recording of this version, the error has
// code core.CodeInvalidRequest, with the number of the line. An unfinished last line was
// torn by a crash and is skipped.
func read(from io.Reader) (*tape, error) {
	lines := bufio.NewReader(from)
	out := &tape{}
	for number := 1; ; number++ {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			if number == 1 {
				return nil, core.Errorf(core.CodeInvalidRequest, "this is not a recording: it is empty")
			}
			return out, nil
		}
		if err != nil {
			return nil, core.Wrap(core.CodeUnavailable, err, "the recording cannot be read")
		}
		if err := out.add(number, bytes.TrimSpace(line)); err != nil {
			return nil, core.Wrap(core.CodeInvalidRequest, err, "line %d of the recording is malformed: %s", number, messageOfError(err))
		}
	}
}

func messageOfError(err error) string {
	var known *core.Error
	if errors.As(err, &known) {
		return known.Message
	}
	return err.Error()
}

// add parses one line.
func (t *tape) add(number int, line []byte) error {
	var first header
	if err := json.Unmarshal(line, &first); err != nil {
		return err
	}
	if (number == 1) != (first.Kind == kindRecording) {
		return core.Errorf(core.CodeInvalidRequest, "a recording must begin with one line of the kind %q", kindRecording)
	}
	switch first.Kind {
	case kindRecording:
		if first.Version != version {
			return core.Errorf(core.CodeInvalidRequest, "the recording has version %d, but this program reads version %d", first.Version, version)
		}
		return nil
	case kindExchange:
		return t.addExchange(line)
	case kindModels:
		return t.addModels(line)
	case kindFull:
		return nil
	}
	return core.Errorf(core.CodeInvalidRequest, "%q is not a known kind of line", first.Kind)
}

func (t *tape) addExchange(line []byte) error {
	var made exchange
	if err := json.Unmarshal(line, &made); err != nil {
		return err
	}
	switch made.End.How {
	case howDone, howFailed, howLeft, howSink:
	default:
		return core.Errorf(core.CodeInvalidRequest, "an exchange cannot end %q", made.End.How)
	}
	for _, said := range made.Chunks {
		fields := 0
		for _, set := range []bool{said.Text != "", said.Reasoning != "", said.Signed != nil, said.Call != nil} {
			if set {
				fields++
			}
		}
		if fields != 1 {
			return core.Errorf(core.CodeInvalidRequest, "a chunk must have exactly one of text, reasoning, signed and call, not %d", fields)
		}
	}
	t.exchanges = append(t.exchanges, made)
	return nil
}

// addModels keeps the newest complete list.
func (t *tape) addModels(line []byte) error {
	var list modelList
	if err := json.Unmarshal(line, &list); err != nil {
		return err
	}
	if list.End.How == howDone {
		t.models, t.listed = list.Models, true
	}
	return nil
}
