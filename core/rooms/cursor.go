package rooms

import (
	"encoding/json"
	"regexp"

	"github.com/atelierhq/atelier/core"
)

// maxCursorBytes bounds a client's cursor, in bytes of JSON.
const maxCursorBytes = 2 << 10

// Place is the position that a member that follows events reports.
type Place struct {
	Path      *core.ProjectPath
	Cursor    json.RawMessage
	Selection *Selection
}

// shownCursor is the member "cursor" of the awareness state of clients of the document.
type shownCursor struct {
	File      core.ProjectPath `json:"file"`
	Selection *Selection       `json:"selection"`
}

// Move tells everybody where the member is now. It is for members that follow events. It
// returns core.CodeValidationFailed if the selection ends before it begins or the cursor
// is too long.
func (m *Member) Move(to Place) error {
	if s := to.Selection; s != nil && (s.Start < 0 || s.End < s.Start) {
		return core.Errorf(core.CodeValidationFailed, "selection must be {start, end} with 0 ≤ start ≤ end")
	}
	if len(to.Cursor) > maxCursorBytes {
		return core.Errorf(core.CodeValidationFailed, "cursor is longer than %d bytes", maxCursorBytes)
	}
	defer m.room.state.pace()
	s := m.room.state.lock()
	defer m.room.state.unlock()
	known := s.presence.present[m.client]
	if known == nil {
		return nil
	}
	value := awarenessOf(m.user, to.Path, to.Cursor, to.Selection)
	return s.show(m, []core.Awareness{{Client: m.client, Clock: known.Clock + 1, Value: value}})
}

// Show tells everybody the awareness states of the clients that the member speaks for.
// It is for members that hold the document. The session decides who they are, not the
// state.
func (m *Member) Show(states []core.Awareness) error {
	for i, shown := range states {
		if shown.Value != nil {
			states[i].Value = signed(shown.Value, m.user)
		}
	}
	defer m.room.state.pace()
	s := m.room.state.lock()
	defer m.room.state.unlock()
	return s.show(m, states)
}

// show merges awareness states.
func (s *state) show(by *Member, states []core.Awareness) error {
	news, err := s.presence.merge(by, states, s.now())
	if err != nil {
		return err
	}
	s.announce(news)
	return nil
}

// announce sends news to everybody, in the document also to their sender: a client
// closes a connection on which it hears nothing.
func (s *state) announce(news []change) {
	if len(news) == 0 {
		return
	}
	states := make([]core.Awareness, 0, len(news))
	for _, c := range news {
		states = append(states, c.Awareness)
		s.members.toEvents(eventOf(c), func(m *Member) bool { return m != c.by })
	}
	s.members.toDocuments(&Frame{Awareness: states})
}

func eventOf(c change) Event {
	peer := peerOf(c.Awareness, c.by.user)
	switch {
	case c.Value == nil:
		return PresenceLeave{peer}
	case c.came:
		return PresenceJoin{peer}
	}
	return PresenceUpdate{peer}
}

// repeat repeats the states of clients that follow events. Clients of a document drop
// others that are silent for 30 seconds.
func (s *state) repeat() {
	now := s.now()
	var again []core.Awareness
	for _, known := range s.presence.present {
		if known.by.way == Events {
			known.Clock++
			known.seen = now
			again = append(again, known.Awareness)
		}
	}
	if len(again) > 0 {
		s.members.toDocuments(&Frame{Awareness: again})
	}
}

// peers returns all clients in the room.
func (p *presence) peers() []Peer {
	peers := []Peer{}
	for _, s := range p.states() {
		peers = append(peers, peerOf(s, p.present[s.Client].by.user))
	}
	return peers
}

// peerOf reads a client's state. It leaves out parts in an unknown form.
func peerOf(s core.Awareness, user Person) Peer {
	peer := Peer{ClientID: s.Client, User: user}
	var value struct {
		Cursor   *shownCursor    `json:"cursor"`
		Position json.RawMessage `json:"position"`
	}
	if json.Unmarshal(s.Value, &value) != nil {
		return peer
	}
	if c := value.Cursor; c != nil {
		peer.Path, peer.Selection = &c.File, c.Selection
	}
	if len(value.Position) <= maxCursorBytes && string(value.Position) != "null" {
		peer.Cursor = value.Position
	}
	return peer
}

// awarenessOf is the awareness state that members with the document see of a member that
// follows events.
func awarenessOf(user Person, path *core.ProjectPath, position json.RawMessage, selection *Selection) []byte {
	value := struct {
		User     Person          `json:"user"`
		Cursor   *shownCursor    `json:"cursor"`
		Position json.RawMessage `json:"position,omitempty"`
	}{User: user, Position: position}
	if path != nil {
		value.Cursor = &shownCursor{File: *path, Selection: selection}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return []byte("{}")
	}
	return text
}

var hexColor = regexp.MustCompile(`^#[0-9a-fA-F]{6}([0-9a-fA-F]{2})?$`)

// signed returns a client's state with the actual person in it. It keeps the colours
// that the client chose.
func signed(value []byte, user Person) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(value, &members) != nil || members == nil {
		return []byte("{}")
	}
	var chosen struct{ Color, ColorLight string }
	_ = json.Unmarshal(members["user"], &chosen)
	shown := struct {
		Person
		ColorLight string `json:"colorLight,omitempty"`
	}{Person: user}
	if hexColor.MatchString(chosen.Color) {
		shown.Color = chosen.Color
	}
	if hexColor.MatchString(chosen.ColorLight) {
		shown.ColorLight = chosen.ColorLight
	}
	text, err := json.Marshal(shown)
	if err != nil {
		return []byte("{}")
	}
	members["user"] = text
	whole, err := json.Marshal(members)
	if err != nil {
		return []byte("{}")
	}
	return whole
}
