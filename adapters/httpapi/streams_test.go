package httpapi

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"github.com/atelierhq/atelier/core"
)

func TestStreamsOfOnePersonLeaveRoomForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const streamsPerPerson = 100
		shared, end := streamsWithin(160, streamsPerPerson), make(chan struct{})
		handle := shared.bounded(func(http.ResponseWriter, *Request) error { <-end; return nil })
		refused := map[core.ID]error{}
		open := func(person core.ID) {
			r := &Request{Request: httptest.NewRequest(http.MethodGet, "/", nil)}
			r.Actor.UserID = person
			go func() {
				if err := handle(httptest.NewRecorder(), r); err != nil {
					refused[person] = err
				}
			}()
			synctest.Wait()
		}
		for range streamsPerPerson {
			open("greedy")
		}
		if len(refused) > 0 {
			t.Errorf("got %v, want %d streams for one person", refused, streamsPerPerson)
		}
		open("greedy")
		if !core.IsCode(refused["greedy"], core.CodeRateLimited) {
			t.Errorf("got %v for one stream more, want %s", refused["greedy"], core.CodeRateLimited)
		}
		for range 70 {
			open("second")
		}
		if !core.IsCode(refused["second"], core.CodeUnavailable) {
			t.Errorf("got %v when all places are taken, want %s", refused["second"], core.CodeUnavailable)
		}
		if open("newcomer"); refused["newcomer"] != nil {
			t.Errorf("got %v for somebody without a stream, want a place kept for them", refused["newcomer"])
		}
		close(end)
		synctest.Wait()
		if held := shared.places.Held("greedy"); held != 0 {
			t.Errorf("got %d places held by streams that ended, want none", held)
		}
	})
}

func TestManyStreamsArePossible(t *testing.T) {
	if full, everybody := newStreams(100).places.Full(); everybody || len(full) > 0 {
		t.Errorf("got %v, want places for everybody", full)
	}
}
