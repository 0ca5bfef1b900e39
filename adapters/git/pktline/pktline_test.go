package pktline_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/adapters/git/pktline"
	"github.com/atelierhq/atelier/core"
)

func TestLinesAndFlushesComeBack(t *testing.T) {
	t.Parallel()
	var sent bytes.Buffer
	if err := errors.Join(pktline.WriteLine(&sent, "want %s\n", "x"), pktline.WriteFlush(&sent), pktline.WriteLine(&sent, "")); err != nil {
		t.Fatal(err)
	}
	if got, want := sent.String(), "000bwant x\n00000004"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, want := range []struct {
		text  string
		flush bool
	}{{"want x", false}, {"", true}, {"", false}} {
		line, err := pktline.ReadLine(&sent)
		if err != nil || string(line) != want.text || pktline.IsFlush(line) != want.flush {
			t.Errorf("got %q, flush %v, %v, want %q, flush %v", line, pktline.IsFlush(line), err, want.text, want.flush)
		}
	}
	if _, err := pktline.ReadLine(&sent); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: got %v, want io.EOF", err)
	}
}

func TestMalformedLinesAreBadRequests(t *testing.T) {
	t.Parallel()
	for _, sent := range []string{"0", "0001", "0003", "ffff", "zzzz", "0009done", "-001"} {
		if _, err := pktline.ReadLine(strings.NewReader(sent)); !core.IsCode(err, core.CodeInvalidRequest) {
			t.Errorf("%q: got %v, want code %s", sent, err, core.CodeInvalidRequest)
		}
	}
}

func TestBandIsCutIntoLinesThatClientsTake(t *testing.T) {
	t.Parallel()
	pack := bytes.Repeat([]byte("pack"), 50_000)
	for name, most := range map[string]int{"side-band": pktline.MaxSmallBandBytes, "side-band-64k": pktline.MaxBandBytes} {
		var sent bytes.Buffer
		if _, err := pktline.NewBandWriter(&sent, pktline.Data, most).Write(pack); err != nil {
			t.Fatal(err)
		}
		if err := pktline.WriteFlush(&sent); err != nil {
			t.Fatal(err)
		}
		lines := bytes.NewReader(sent.Bytes())
		for {
			line, err := pktline.ReadRaw(lines)
			if err != nil {
				t.Fatal(err)
			}
			if pktline.IsFlush(line) {
				break
			}
			if len(line) > most+1 {
				t.Fatalf("%s: got a line of %d bytes, want at most %d", name, len(line), most+1)
			}
		}
		if got, err := io.ReadAll(pktline.NewBandReader(&sent)); err != nil || !bytes.Equal(got, pack) {
			t.Errorf("%s: got %d bytes, %v, want the %d that were written", name, len(got), err, len(pack))
		}
	}
}

func TestBandReaderDropsProgressAndFailsWithTheFatalMessage(t *testing.T) {
	t.Parallel()
	var sent bytes.Buffer
	for _, part := range []struct {
		channel pktline.Channel
		text    string
	}{{pktline.Progress, "counting"}, {pktline.Data, "pack"}, {pktline.Fatal, "out of disk"}} {
		if _, err := pktline.NewBandWriter(&sent, part.channel, pktline.MaxBandBytes).Write([]byte(part.text)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := io.ReadAll(pktline.NewBandReader(&sent))
	if string(got) != "pack" || !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), "out of disk") {
		t.Errorf("got %q, %v, want the pack and the server's message", got, err)
	}
}
