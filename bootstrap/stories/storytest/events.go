package storytest

import (
	"bufio"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

// Event is one event of a stream: its id, and its data.
type Event struct {
	ID   string
	Data map[string]any
}

// Kind is the event's type.
func (e Event) Kind() string {
	kind, _ := e.Data["type"].(string)
	return kind
}

// Events reads a stream to its end.
func Events(t testing.TB, body io.Reader) []Event {
	t.Helper()
	var all []Event
	Each(t, body, func(e Event) bool { all = append(all, e); return true })
	return all
}

// Each calls take for every event until it returns false or the stream ends.
func Each(t testing.TB, body io.Reader, take func(Event) bool) {
	t.Helper()
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 16<<20)
	var e Event
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "id":
			e.ID = value
		case "data":
			if err := json.Unmarshal([]byte(value), &e.Data); err != nil {
				t.Fatalf("an event is no JSON: %v in %.200s", err, value)
			}
			if !take(e) {
				return
			}
			e = Event{}
		}
	}
}

// Kinds are the types of events, separated by spaces.
func Kinds(all []Event) string {
	names := make([]string, len(all))
	for i, e := range all {
		names[i] = e.Kind()
	}
	return strings.Join(names, " ")
}

// LastOf is the data of the last event, nil without one.
func LastOf(all []Event) map[string]any {
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1].Data
}
