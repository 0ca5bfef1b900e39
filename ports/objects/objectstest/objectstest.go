// Package objectstest tests objects.Store against its port.
package objectstest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
	"github.com/atelierhq/atelier/ports/objects"
)

// Run tests a store against the port. open returns an empty one.
func Run(t *testing.T, open func(t *testing.T) objects.Store) {
	clauses := []struct {
		name string
		test func(t *testing.T, store objects.Store)
	}{
		{"stored objects are opened and listed, sorted by name", roundTrip},
		{"content of any size comes back", sizes},
		{"content that fails leaves nothing", failing},
		{"a name is put once", putOnce},
		{"one of many writers of a name wins", putRace},
		{"missing objects are not found", missing},
		{"a removed object is gone", removed},
		{"invalid names are refused", refusesNames},
		{"a check changes nothing", checked},
		{"an ended context ends every call", endedContext},
	}
	for _, clause := range clauses {
		t.Run(clause.name, func(t *testing.T) { clause.test(t, open(t)) })
	}
}

func put(t *testing.T, store objects.Store, name, content string) {
	t.Helper()
	conformance.Must(t, store.Put(t.Context(), name, strings.NewReader(content)))
}

// get reads an object.
func get(ctx context.Context, store objects.Store, name string) ([]byte, error) {
	content, err := store.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	read, err := io.ReadAll(content)
	return read, errors.Join(err, content.Close())
}

func wantNames(t *testing.T, store objects.Store, want ...string) {
	t.Helper()
	listed, err := store.List(t.Context())
	conformance.Must(t, err)
	var names []string
	for _, object := range listed {
		names = append(names, object.Name)
	}
	if strings.Join(names, " ") != strings.Join(want, " ") {
		t.Errorf("got the objects %q, want %q", names, want)
	}
}

func roundTrip(t *testing.T, store objects.Store) {
	wantNames(t, store)
	put(t, store, "b-2.tar.gz", "second")
	put(t, store, "A_1", "first one")
	wantNames(t, store, "A_1", "b-2.tar.gz")
	listed, err := store.List(t.Context())
	conformance.Must(t, err)
	if listed[0].Bytes != 9 || listed[1].Bytes != 6 {
		t.Errorf("got %+v, want 9 and 6 bytes", listed)
	}
	if got, err := get(t.Context(), store, "A_1"); err != nil || string(got) != "first one" {
		t.Errorf("got %q, %v, want what was put", got, err)
	}
}

// manyBytes is more than stores put at a time.
const manyBytes = 34<<20 + 3

func sizes(t *testing.T, store objects.Store) {
	many := bytes.Repeat([]byte("0123456789abcdef!"), manyBytes/17+1)[:manyBytes]
	for name, content := range map[string][]byte{"empty": {}, "one": {7}, "many": many} {
		conformance.Must(t, store.Put(t.Context(), name, bytes.NewReader(content)))
		if got, err := get(t.Context(), store, name); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%s: got %d bytes, %v, want the %d that were put", name, len(got), err, len(content))
		}
	}
}

// failure is a reader that yields something, and then fails.
type failure struct {
	io.Reader
	err error
}

func (f failure) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		err = f.err
	}
	return n, err
}

func failing(t *testing.T, store objects.Store) {
	broken := errors.New("the source broke")
	for name, size := range map[string]int{"small": 10, "large": manyBytes} {
		err := store.Put(t.Context(), name, failure{bytes.NewReader(make([]byte, size)), broken})
		if !errors.Is(err, broken) {
			t.Errorf("%s: got %v, want the source's error", name, err)
		}
	}
	wantNames(t, store)
	put(t, store, "small", "whole")
}

func putOnce(t *testing.T, store objects.Store) {
	put(t, store, "a", "first")
	conformance.WantCode(t, "the second time", store.Put(t.Context(), "a", strings.NewReader("second")), core.CodeConflict)
	if got, err := get(t.Context(), store, "a"); err != nil || string(got) != "first" {
		t.Errorf("got %q, %v, want the first", got, err)
	}
}

func putRace(t *testing.T, store objects.Store) {
	var writers sync.WaitGroup
	var won atomic.Int32
	for _, letter := range "abcdefgh" {
		writers.Go(func() {
			err := store.Put(t.Context(), "same", strings.NewReader(strings.Repeat(string(letter), 1000)))
			if err == nil {
				won.Add(1)
			} else if !core.IsCode(err, core.CodeConflict) {
				t.Errorf("got %v, want code %s", err, core.CodeConflict)
			}
		})
	}
	writers.Wait()
	got, err := get(t.Context(), store, "same")
	if err != nil || len(got) != 1000 || strings.Trim(string(got), string(got[:1])) != "" || won.Load() != 1 {
		t.Errorf("got %d bytes of %d winners, %v, want those of one", len(got), won.Load(), err)
	}
}

func missing(t *testing.T, store objects.Store) {
	_, err := get(t.Context(), store, "none")
	conformance.WantCode(t, "Get", err, core.CodeNotFound)
}

func removed(t *testing.T, store objects.Store) {
	put(t, store, "a", "content")
	put(t, store, "b", "content")
	for range 2 {
		conformance.Must(t, store.Remove(t.Context(), "a"))
	}
	wantNames(t, store, "b")
	put(t, store, "a", "again")
}

func refusesNames(t *testing.T, store objects.Store) {
	for _, name := range []string{"", ".", "..", ".a", "-a", "a/b", "/a", "a\\b", "ä", "a b", "a\x00", strings.Repeat("a", 129)} {
		conformance.WantCode(t, "Put", store.Put(t.Context(), name, strings.NewReader("x")), core.CodeValidationFailed)
		_, err := store.Get(t.Context(), name)
		conformance.WantCode(t, "Get", err, core.CodeValidationFailed)
		conformance.WantCode(t, "Remove", store.Remove(t.Context(), name), core.CodeValidationFailed)
	}
	wantNames(t, store)
}

func checked(t *testing.T, store objects.Store) {
	put(t, store, "a", "content")
	for range 2 {
		conformance.Must(t, store.Check(t.Context()))
	}
	wantNames(t, store, "a")
}

func endedContext(t *testing.T, store objects.Store) {
	put(t, store, "a", "content")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, listing := store.List(ended)
	_, getting := get(ended, store, "a")
	for name, err := range map[string]error{
		"Put": store.Put(ended, "b", strings.NewReader("x")), "Get": getting, "List": listing,
		"Remove": store.Remove(ended, "a"), "Check": store.Check(ended),
	} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want context.Canceled", name, err)
		}
	}
	wantNames(t, store, "a")
}
