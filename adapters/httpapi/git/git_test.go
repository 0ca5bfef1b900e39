package git

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/atelierhq/atelier/core"
)

func TestTheSemaphoreOfGitClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		semaphore, person, project := NewSemaphore(), core.NewID(), core.NewID()
		var leave []func()
		for range placesPerProject {
			left, err := semaphore.enter(t.Context(), person, project)
			if err != nil {
				t.Fatal(err)
			}
			leave = append(leave, left)
		}
		_, err := semaphore.enter(t.Context(), person, project)
		var full *core.Error
		if !errors.As(err, &full) || full.Code != core.CodeUnavailable || full.RetryAfter == 0 {
			t.Errorf("got %v, want the project's places taken", err)
		}
		for range placesInAll - placesPerProject {
			left, err := semaphore.enter(t.Context(), person, core.NewID())
			if err != nil {
				t.Fatal(err)
			}
			leave = append(leave, left)
		}
		if _, err := semaphore.enter(t.Context(), person, core.NewID()); !core.IsCode(err, core.CodeUnavailable) {
			t.Errorf("got %v, want all places of the person taken", err)
		}
		left, err := semaphore.enter(t.Context(), core.NewID(), project)
		if err != nil {
			t.Fatalf("got %v for another person in the same project, want a place", err)
		}
		leave = append(leave, left)
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := semaphore.enter(gone, person, project); err == nil {
			t.Error("got a place for somebody who is gone, want none")
		}
		for _, left := range leave {
			left()
		}
		left, err = semaphore.enter(t.Context(), person, project)
		if err != nil {
			t.Fatal(err)
		}
		left()
	})
}

func TestReadersOfGitBodiesKeepTheirBounds(t *testing.T) {
	bounded := &boundedReader{from: strings.NewReader("12345"), left: 4, limit: 4}
	if _, err := io.ReadAll(bounded); !core.IsCode(err, core.CodePayloadTooLarge) {
		t.Errorf("got %v, want code %s", err, core.CodePayloadTooLarge)
	}
	for cause, want := range map[error]core.Code{io.ErrUnexpectedEOF: core.CodeInvalidRequest, os.ErrDeadlineExceeded: core.CodeInvalidRequest} {
		if err := reading(cause); !core.IsCode(err, want) {
			t.Errorf("%v: got %v, want code %s", cause, err, want)
		}
	}
	if err := reading(io.EOF); err != io.EOF {
		t.Errorf("got %v, want the end to stay the end", err)
	}
}
