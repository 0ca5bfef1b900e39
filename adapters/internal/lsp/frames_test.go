package lsp

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// cut feeds a stream in parts of a size and returns its messages.
func cut(stream string, size, most int) ([]string, error) {
	var got []string
	f := frames{most: most}
	for part := range slices.Chunk([]byte(stream), size) {
		if err := f.add(part, func(body []byte) error { got = append(got, string(body)); return nil }); err != nil {
			return got, err
		}
	}
	return got, nil
}

func TestFramesAreCutWhereverTheStreamBreaks(t *testing.T) {
	stream := "Content-Length: 2\r\n\r\n{}content-length:3\r\nContent-Type: x\r\n\r\n[1]Content-Length: 0\r\n\r\n"
	for size := 1; size <= len(stream); size++ {
		got, err := cut(stream, size, 10)
		if err != nil || !slices.Equal(got, []string{"{}", "[1]", ""}) {
			t.Fatalf("parts of %d: got %q, %v", size, got, err)
		}
	}
}

func TestAStreamThatBreaksTheProtocolIsRefused(t *testing.T) {
	for name, stream := range map[string]string{
		"too long":          "Content-Length: 11\r\n\r\n",
		"no length":         "Content-Type: x\r\n\r\n",
		"a negative length": "Content-Length: -1\r\n\r\n",
		"an endless header": strings.Repeat("x", maxHeaderBytes+1),
	} {
		if got, err := cut(stream, len(stream), 10); !errors.Is(err, errProtocol) {
			t.Errorf("%s: got %q, %v, want it refused", name, got, err)
		}
	}
}

func FuzzFrames(f *testing.F) {
	f.Add("Content-Length: 2\r\n\r\n{}", 3)
	f.Fuzz(func(t *testing.T, stream string, size int) {
		whole, first := cut(stream, max(1, len(stream)), 100)
		parts, second := cut(stream, 1+max(0, size)%64, 100)
		if first == nil && second == nil && !slices.Equal(whole, parts) {
			t.Errorf("got %q in parts, want %q", parts, whole)
		}
	})
}

func TestAddressesOutsideAreNoPlaces(t *testing.T) {
	p := places{"/app", "/tmp/typescript"}
	for address, want := range map[string][2]string{
		"file:///app/src/deep%20(1)/b.ts": {"src/deep (1)/b.ts", ""}, "file:///tmp/typescript/lib.dom.d.ts": {"", "typescript"},
		"file:///packages/v/1/node_modules/@types/react/index.d.ts": {"", "@types/react"}, "file:///node_modules/vite/client.d.ts": {"", "vite"},
		"file:///etc/passwd": {}, "file:///app/../etc/passwd": {}, "file:///app/.git/config": {}, "http://x/app/a.ts": {}, "file:///app": {}, "%": {},
	} {
		file, name, ok := p.locate(address)
		if file != want[0] || name != want[1] || ok != (want != [2]string{}) {
			t.Errorf("%s: got %q, %q, %v, want %q", address, file, name, ok, want)
		}
	}
	if got := p.address("src/deep (1)/é#?.ts"); got != "file:///app/src/deep%20%281%29/%C3%A9%23%3F.ts" && got != "file:///app/src/deep%20(1)/%C3%A9%23%3F.ts" {
		t.Errorf("got %s", got)
	}
}
