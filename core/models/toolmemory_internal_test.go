package models

import (
	"testing"
	"time"
)

func TestARefusalOfToolsIsBelievedForMinutesAndNeverAfterACall(t *testing.T) {
	now := time.Unix(0, 0)
	m := newToolMemory(func() time.Time { return now })
	if m.refuses("a") {
		t.Error("got a model that refuses unasked")
	}
	if !m.of("a").Refused() || !m.refuses("a") || m.refuses("b") {
		t.Error("got the first refusal not believed, or believed of another model")
	}
	if now = now.Add(refusalTime); m.refuses("a") {
		t.Errorf("got a refusal believed after %s", refusalTime)
	}
	m.of("a").Worked()
	if m.of("a").Refused() || m.refuses("a") {
		t.Error("got a refusal believed of a model that has called tools")
	}
}
