package buildworker

import (
	"bytes"
	"context"
	"errors"
	"net"
	"reflect"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
)

// fill gives every exported field below a value something that is not zero.
func fill(t *testing.T, value reflect.Value, path string) {
	t.Helper()
	switch value.Kind() {
	case reflect.Struct:
		for i := range value.NumField() {
			if field := value.Type().Field(i); !field.IsExported() {
				t.Fatalf("%s.%s does not travel: it is not exported", path, field.Name)
			} else if staysBehind(path + "." + field.Name) {
				continue
			} else {
				fill(t, value.Field(i), path+"."+field.Name)
			}
		}
	case reflect.Slice:
		value.Set(reflect.MakeSlice(value.Type(), 2, 2))
		for i := range value.Len() {
			fill(t, value.Index(i), path+"[]")
		}
	case reflect.Map:
		value.Set(reflect.MakeMap(value.Type()))
		key, element := reflect.New(value.Type().Key()).Elem(), reflect.New(value.Type().Elem()).Elem()
		fill(t, key, path+".key")
		fill(t, element, path+".value")
		value.SetMapIndex(key, element)
	case reflect.Pointer:
		value.Set(reflect.New(value.Type().Elem()))
		fill(t, value.Elem(), path)
	case reflect.String:
		value.SetString("text of " + path)
	case reflect.Bool:
		value.SetBool(true)
	case reflect.Int, reflect.Int64:
		value.SetInt(7_000_000_001)
	case reflect.Uint8:
		value.SetUint(7)
	case reflect.Float64:
		value.SetFloat(7.5)
	default:
		t.Fatalf("%s is of the kind %s: say how it travels", path, value.Kind())
	}
}

// staysBehind names the fields that travel in another way: the sources are asked for, dialects and
// contents follow, and causes and messages travel as text. What the page of a failed check showed and the
// rows that an import refuses are of no build.
func staysBehind(path string) bool {
	switch path {
	case "call.Request.Files", "call.Patches[].Dialect", "outcome.Failure.Error.Cause", "outcome.Failure.Error.Format", "outcome.Failure.Error.Args", "outcome.Failure.Error.Rows", "outcome.Failure.Error.Checks[].Shown":
		return true
	}
	return false
}

// TestNoFieldIsLostOnTheWay fails when a field of a request or a result does not
// reach the other side.
func TestNoFieldIsLostOnTheWay(t *testing.T) {
	for name, sent := range map[string]any{"call": new(call), "outcome": new(outcome)} {
		fill(t, reflect.ValueOf(sent).Elem(), name)
		got := reflect.New(reflect.TypeOf(sent).Elem()).Interface()
		rest := travel(t, sent, got)
		if !reflect.DeepEqual(got, sent) {
			t.Errorf("got %+v, want %+v", got, sent)
		}
		if string(rest) != "the rest" {
			t.Errorf("got %q behind it, want what was sent", rest)
		}
	}
}

// travel sends a value through a connection into another.
func travel(t *testing.T, sent, got any) []byte {
	t.Helper()
	here, there := net.Pipe()
	defer here.Close()
	defer there.Close()
	go func() { _ = newLink(here).sendHead(frameOutcome, sent, []byte("the "), []byte("rest")) }()
	kind, body, err := newLink(there).receive(maxHeadBytes)
	if err != nil || kind != frameOutcome {
		t.Fatal(kind, err)
	}
	rest, err := readHead(body, got)
	if err != nil {
		t.Fatal(err)
	}
	return rest
}

func TestErrorsArriveAsTheyWere(t *testing.T) {
	cause := errors.New("the disk is broken")
	for name, sent := range map[string]error{
		"none":        nil,
		"with a code": &core.Error{Code: core.CodeUnavailable, Message: "m", Cause: cause, RetryAfter: time.Second},
		"diagnostics": &core.Error{Code: core.CodeBuildFailed, Message: "m", Diagnostics: []core.Diagnostic{{Path: "a", Line: 1, Column: 2, Message: "n"}}},
		"no code":     cause,
		"arguments":   core.Errorf(core.CodeSelectorNotFound, "the text is computed, and %d texts in this file say %.80q", 2, "x"),
		"a list":      core.Errorf(core.CodeValidationFailed, "%v and %d", []string{"a"}, 1),
		"cancelled":   context.Canceled,
	} {
		var got outcome
		travel(t, outcome{Failure: failureOf(sent)}, &got)
		err := got.Failure.err()
		if core.CodeOf(err) != core.CodeOf(sent) || err != nil && err.Error() != sent.Error() {
			t.Errorf("%s: got %v, want %v", name, err, sent)
		}
		if errors.Is(sent, context.Canceled) != errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want it to be %v", name, err, sent)
		}
		var before, after *core.Error
		if errors.As(sent, &before) && (!errors.As(err, &after) || !reflect.DeepEqual(before.Diagnostics, after.Diagnostics) || before.RetryAfter != after.RetryAfter) {
			t.Errorf("%s: got %+v, want %+v", name, after, before)
		}
		if name == "arguments" && (after.Format != before.Format || !reflect.DeepEqual(after.Args, before.Args)) {
			t.Errorf("got %q of %v, want what can be translated", after.Format, after.Args)
		}
		if name == "a list" && (after.Format != "" || after.Args != nil) {
			t.Errorf("got %q of %v, want the message alone", after.Format, after.Args)
		}
	}
}

func TestFingerprintsAreBounded(t *testing.T) {
	good := fingerprintOf([]byte("a")).appendTo(fingerprintOf(bytes.Repeat([]byte("b"), 5000)).appendTo(nil))
	if got, err := readFingerprints(good, 2); err != nil || got[0].size != 5000 || got[1] != fingerprintOf([]byte("a")) {
		t.Errorf("got %v, %v, want both", got, err)
	}
	huge := fingerprint{size: maxContentsBytes/2 + 1}.appendTo(nil)
	for name, text := range map[string][]byte{
		"too short":  good[:len(good)-1],
		"too many":   append(good, good...),
		"negative":   append(fingerprint{size: -1}.appendTo(nil), good[:fingerprintBytes]...),
		"too large":  append(fingerprint{size: maxContentsBytes + 1}.appendTo(nil), good[:fingerprintBytes]...),
		"sum of two": append(huge, huge...),
	} {
		if got, err := readFingerprints(text, 2); !errors.Is(err, errProtocol) {
			t.Errorf("%s: got %v, %v, want it refused", name, got, err)
		}
	}
}
