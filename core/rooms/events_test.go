package rooms_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/rooms"
)

// follower is somebody who follows events.
type follower struct {
	h      *house
	member *rooms.Member
	events []rooms.Event
}

func (h *house) follow(by core.Actor) *follower {
	h.t.Helper()
	member, err := h.service.Join(h.t.Context(), by, h.project, rooms.Events)
	h.must(err)
	f := &follower{h: h, member: member}
	go func() {
		for {
			frame, err := member.Next(context.Background())
			if err != nil {
				return
			}
			f.events = append(f.events, frame.Event)
		}
	}()
	synctest.Wait()
	return f
}

// told returns what came since the last time, each event as its type and its JSON.
func (f *follower) told() string {
	f.h.t.Helper()
	synctest.Wait()
	var lines []string
	for _, event := range f.events {
		text, err := json.Marshal(event)
		f.h.must(err)
		lines = append(lines, event.EventType()+" "+string(text))
	}
	f.events = nil
	return strings.Join(lines, "\n")
}

func (f *follower) want(want ...string) {
	f.h.t.Helper()
	got := f.told()
	for _, part := range want {
		if !strings.Contains(got, part) {
			f.h.t.Errorf("got %s\nwant %s in it", got, part)
		}
	}
	if len(want) == 0 && got != "" {
		f.h.t.Errorf("got %s, want nothing", got)
	}
}

func TestFollowersHearOfFiles(t *testing.T) {
	play(t, func(h *house) {
		f := h.follow(h.owner)
		f.told()
		h.write(core.FileChange{Op: core.OpWrite, Path: core.MustPath("a.css"), Content: []byte("a {}")})
		f.want(`file.changed {"path":"a.css","content":"a {}","size":4,"etag":"\"`, `"by":{"kind":"agent","name":"agent"}}`)
		h.write(core.FileChange{Op: core.OpWrite, Path: core.MustPath("b.png"), Content: []byte("\x00\x01")})
		f.want(`file.changed {"path":"b.png","content":null,"size":2`)
		h.write(core.FileChange{Op: core.OpRename, Path: core.MustPath("a.css"), To: core.MustPath("c.css")})
		f.want(`file.renamed {"from":"a.css","to":"c.css","by":`)
		h.write(core.FileChange{Op: core.OpDelete, Path: core.MustPath("c.css")})
		f.want(`file.deleted {"path":"c.css","by":`)
		h.join(h.owner).types(index, "one", " typed")
		time.Sleep(2 * time.Second)
		f.want(`file.changed {"path":"index.html","content":"\u003c!doctype html\u003e\n\u003ch1\u003eone typed`, `"by":{"kind":"user","name":"owner"}`)
	})
}

func TestFollowersHearWhatABusLeftOut(t *testing.T) {
	play(t, func(h *house) {
		f, ann := h.follow(h.owner), h.join(h.owner)
		f.told()
		// The disk changes without a notice, as when the bus is down.
		h.behindTheRoom(core.FileChange{Op: core.OpWrite, Path: core.MustPath("a.css"), Content: []byte("a {}")})
		h.behindTheRoom(core.FileChange{Op: core.OpDelete, Path: index})
		synctest.Wait()
		f.want()
		h.must(h.bus.Publish(h.t.Context(), core.Notice{Kind: core.NoticeLagged, ProjectID: h.project}))
		f.want(`file.changed {"path":"a.css","content":"a {}"`, `file.deleted {"path":"index.html"`, "project.updated ")
		if got := ann.paths(); got != "a.css" {
			t.Errorf("got the files %q, want what the disk has", got)
		}
	})
}

func TestFollowersSeeEachOther(t *testing.T) {
	play(t, func(h *house) {
		bob := h.person("bob", core.RoleMember)
		first := h.follow(h.owner)
		first.want(`welcome {"clientId":`, `"peers":[]}`)
		second := h.follow(bob)
		second.want(`"peers":[{"clientId":`, `"name":"owner"`)
		first.want(`presence.join {"clientId":`, fmt.Sprintf(`"user":{"id":%q,"name":"bob","color":"#`, bob.UserID), `"avatarUrl":null}}`)
		h.must(second.member.Move(rooms.Place{Path: &index, Cursor: json.RawMessage(`{"line":3}`), Selection: &rooms.Selection{Start: 1, End: 4}}))
		first.want(`presence.update {`, `"path":"index.html","cursor":{"line":3},"selection":{"start":1,"end":4}}`)
		second.want()
		if err := second.member.Move(rooms.Place{Selection: &rooms.Selection{Start: 4, End: 1}}); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("got %v, want %s", err, core.CodeValidationFailed)
		}
		second.member.Leave()
		first.want(`presence.leave {"clientId":`, `"name":"bob"`)
	})
}

func TestClientsOfTheDocumentAndFollowersSeeEachOther(t *testing.T) {
	play(t, func(h *house) {
		f, ann := h.follow(h.owner), h.join(h.person("ann", core.RoleMember))
		f.told()
		h.must(ann.member.Show([]core.Awareness{{Client: 7, Clock: 1, Value: []byte(`{"user":{"id":"x","name":"Mallory","color":"#112233"},"cursor":{"file":"index.html","selection":{"start":2,"end":2}},"more":1}`)}}))
		f.want(`presence.join {"clientId":7,"user":{`, `"name":"ann","color":"#`, `"path":"index.html","selection":{"start":2,"end":2}}`)
		synctest.Wait()
		shown := ann.shown()
		for _, part := range []string{`"name":"ann"`, `"color":"#112233"`, `"more":1`} {
			if !strings.Contains(shown, part) {
				t.Errorf("got %s, want %s in it", shown, part)
			}
		}
		h.must(f.member.Move(rooms.Place{Path: &index}))
		synctest.Wait()
		if got := ann.shown(); !strings.Contains(got, `"cursor":{"file":"index.html","selection":null}`) || !strings.Contains(got, `"name":"owner"`) {
			t.Errorf("got %s, want where the owner is", got)
		}
		time.Sleep(31 * time.Second)
		f.want(`presence.leave {"clientId":7`)
		bob := h.join(h.person("bob", core.RoleMember))
		h.must(ann.member.Show([]core.Awareness{{Client: 7, Clock: 2, Value: []byte(`{}`)}}))
		h.must(bob.member.Show([]core.Awareness{{Client: 7, Clock: 9, Value: []byte(`{"forged":true}`)}}))
		synctest.Wait()
		if got := ann.shown(); strings.Contains(got, "forged") {
			t.Errorf("got %s, want nobody to speak for another", got)
		}
		bob.member.QueryAwareness()
		synctest.Wait()
		ann.member.Leave()
		f.want(`presence.leave {"clientId":7,"user":{`, `"name":"ann"`)
	})
}

func TestFollowersHearOfRunsThatTheyMaySee(t *testing.T) {
	play(t, func(h *house) {
		f, guest := h.follow(h.owner), h.follow(h.person("guest", core.RoleNone))
		f.told()
		guest.told()
		chat := core.NewID()
		h.must(h.store.Tables().Chats.Create(h.t.Context(), core.Chat{ID: chat, ProjectID: h.project}))
		var events []core.Event
		for _, delta := range []string{"a", "b", "c"} {
			appended, err := h.store.Tables().Events.Append(h.t.Context(), chat, core.At(time.Now()), []core.Payload{core.MessageDelta{Delta: delta}})
			h.must(err)
			events = append(events, appended...)
		}
		publish := func(event core.Event) {
			h.must(h.bus.Publish(h.t.Context(), core.Notice{Kind: core.NoticeChatEvent, ProjectID: h.project, ChatID: chat, Event: &event}))
		}
		publish(events[0])
		f.want(fmt.Sprintf(`chat.event {"chatId":%q,"event":{"type":"assistant.message_delta","seq":1,`, chat), `"delta":"a"`)
		publish(events[2])
		f.want(`"seq":2`, `"seq":3`)
		publish(events[2])
		f.want()
		h.must(h.bus.Publish(h.t.Context(), core.Notice{Kind: core.NoticePreview, ProjectID: h.project, Preview: &core.PreviewState{Status: "ready", Diagnostics: []core.Diagnostic{}}}))
		f.want(`preview.status {"status":"ready","diagnostics":[]}`)
		if got := guest.told(); strings.Contains(got, "chat.event") || !strings.Contains(got, "preview.status") {
			t.Errorf("got %s, want what everybody may know and nothing of chats", got)
		}
	})
}

// shown returns what somebody showed last.
func (c *client) shown() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return string(c.told[len(c.told)-1].Value)
}
