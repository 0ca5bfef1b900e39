package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent/tools"
	"github.com/atelierhq/atelier/ports/ai"
)

// briefing is what the model is told of the project beside the person's words. It goes with the
// person's newest message and is never changed there, so that system prompt, tools and earlier
// messages stay the same within a chat and are read from the vendor's cache. A later message has
// only what has changed. A compaction moves all of it into the system prompt, where it is safe.
type briefing struct {
	core.Briefing
	// changed says that it is not stored as it is.
	changed bool
}

// topic is something that the model should know, with all of its text.
type topic struct {
	name, text string
	// whole says that a part of the text is of no use, quiet that a model that knows an earlier text is
	// not told of the next one, passing that the text is for one message and not kept.
	whole, quiet, passing bool
	// room is how many bytes it may take.
	room int
}

// Texts around what goes with a message of the person.
const (
	briefingHead = "[From Atelier, not from the person. It replaces what was said of the same before.]\n\n"
	briefingTail = "\n\n[The person says:]"
	factsHead    = "What the project has:"
)

// briefingOf returns what earlier runs told. It is cut if a smaller window has no room for it.
func briefingOf(task Task, limit int) *briefing {
	b := &briefing{}
	if task.Briefing != nil {
		b.Briefing = *task.Briefing
		b.Sections, b.Said, b.Hints = slices.Clone(b.Sections), slices.Clone(b.Said), slices.Clone(b.Hints)
		b.Base = cutBase(b.Base, limit)
	}
	return b
}

func cutBase(base string, limit int) string {
	return tools.CutMiddle(base, max(limit, shortResult), "left out to save room")
}

// said returns what went with the message of the person with this seq.
func (b *briefing) said(seq int64) string {
	for _, said := range b.Said {
		if said.Seq == seq {
			return said.Text
		}
	}
	return ""
}

// maxHints is how many hints a chat remembers.
const maxHints = 100

// hint returns what the agent told after so many answers to the message of the person with this seq.
func (b *briefing) hint(seq int64, answers int) string {
	for _, hint := range b.Hints {
		if hint.Seq == seq && hint.Answers == answers {
			return hint.Text
		}
	}
	return ""
}

// noteHint remembers a hint, so that the chat's next runs have it where this one does.
func (b *briefing) noteHint(seq int64, answers int, text string) {
	b.Hints = append(b.Hints[max(0, len(b.Hints)-maxHints+1):], core.BriefingHint{Seq: seq, Answers: answers, Text: text})
	b.changed = true
}

// tell returns what to tell the model now that the topics are true, "" if it knows them, and
// remembers it as said with the message of seq.
func (b *briefing) tell(topics []topic, seq int64) string {
	var news, sections []core.BriefingSection
	for _, t := range topics {
		if t.passing {
			news = append(news, core.BriefingSection{Name: t.name, Text: t.fitting()})
			continue
		}
		old, known := b.section(t.name)
		next := core.BriefingSection{Name: t.name, Text: old.Text, Digest: digestOf(t.text)}
		if known && next.Digest == old.Digest {
			sections = append(sections, old)
			continue
		}
		if next.Text = t.fitting(); next.Text == "" {
			continue
		}
		sections = append(sections, next)
		if next.Text != old.Text && !(known && t.quiet) {
			news = append(news, core.BriefingSection{Name: t.name, Text: difference(old.Text, next.Text)})
		}
	}
	for _, old := range b.Sections {
		if !slices.ContainsFunc(sections, func(s core.BriefingSection) bool { return s.Name == old.Name }) {
			news = append(news, core.BriefingSection{Name: old.Name, Text: noLonger[old.Name]})
		}
	}
	if !slices.Equal(b.Sections, sections) {
		b.Sections, b.changed = sections, true
	}
	if len(news) == 0 {
		return ""
	}
	text := briefingHead + describeSections(news) + briefingTail
	b.Said = append(b.Said, core.BriefingSaid{Seq: seq, Text: text})
	return text
}

// fold moves what was told into the system prompt.
func (b *briefing) fold(limit int) {
	if len(b.Said) == 0 {
		return
	}
	b.Base, b.Said, b.changed = cutBase(describeSections(b.Sections), limit), nil, true
}

// learn replaces what is known of a topic that was told, because the model has made the new text true.
func (b *briefing) learn(t topic) {
	at := slices.IndexFunc(b.Sections, func(s core.BriefingSection) bool { return s.Name == t.name })
	if next := (core.BriefingSection{Name: t.name, Text: t.text, Digest: digestOf(t.text)}); at >= 0 && b.Sections[at] != next {
		b.Sections[at], b.changed = next, true
	}
}

func (b *briefing) section(name string) (core.BriefingSection, bool) {
	at := slices.IndexFunc(b.Sections, func(s core.BriefingSection) bool { return s.Name == name })
	if at < 0 {
		return core.BriefingSection{}, false
	}
	return b.Sections[at], true
}

// fitting returns as much of the text as there is room for.
func (t topic) fitting() string {
	switch {
	case t.room == 0, t.whole && len(t.text) > t.room:
		return ""
	case len(t.text) <= t.room:
		return t.text
	}
	text, _ := tools.CutText(t.text, t.room)
	return text + cutNotes[t.name]
}

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// describeSections writes sections as a text; facts in a row are one list.
func describeSections(sections []core.BriefingSection) string {
	var out strings.Builder
	listing := false
	for _, section := range sections {
		isFact := strings.HasPrefix(section.Text, "- ")
		switch {
		case isFact && listing:
			out.WriteString("\n")
		case isFact:
			out.WriteString("\n\n" + factsHead + "\n")
		default:
			out.WriteString("\n\n")
		}
		out.WriteString(section.Text)
		listing = isFact
	}
	return strings.TrimSpace(out.String())
}

// difference returns what tells a model that knows the old text of the new one: the lines that
// changed if that is much shorter, else all of it.
func difference(old, text string) string {
	before, after := strings.Split(old, "\n"), strings.Split(text, "\n")
	from := 0
	for from < min(len(before), len(after)) && before[from] == after[from] {
		from++
	}
	to := 0
	for to < min(len(before), len(after))-from && before[len(before)-1-to] == after[len(after)-1-to] {
		to++
	}
	// The line before shows where an insertion is.
	from = max(from-1, 0)
	shorter := fmt.Sprintf("%s These lines of it changed. They were:\n\n%s\n\nThey are now:\n\n%s", after[0],
		strings.Join(before[from:len(before)-to], "\n"), strings.Join(after[from:len(after)-to], "\n"))
	if from == 0 || len(shorter) > len(text)/2 {
		return text
	}
	return shorter
}

// brief tells the model, with the person's newest message, what it does not know yet of the
// project. A run that goes on after a crash knows it.
func (r *run) brief(ctx context.Context, topics []topic) error {
	if r.task.Resume && r.conversation.steps > 0 && r.task.Briefing != nil {
		return nil
	}
	b, c := r.conversation.briefing, r.conversation
	at := c.newestWish()
	if text := b.tell(topics, c.wishSeq); at >= 0 && text != "" {
		c.messages[at].Briefing = text
	} else if text != "" {
		b.fold(r.budget.bytes(r.budget.part(2 * rulesPercent)))
	}
	return r.storeBriefing(ctx)
}

// hint tells the model something in the middle of a run.
func (r *run) hint(ctx context.Context, text string) error {
	c := r.conversation
	c.briefing.noteHint(c.wishSeq, c.steps, text)
	c.append(ai.Message{Role: ai.RoleUser, Hint: true, Text: text})
	return r.storeBriefing(ctx)
}

// storeBriefing stores what the model was told for the chat's next runs.
func (r *run) storeBriefing(ctx context.Context) error {
	b := r.conversation.briefing
	if !b.changed || r.task.Brief == nil {
		return nil
	}
	b.changed = false
	return r.task.Brief(ctx, b.Briefing)
}

// foldBriefing moves what the model was told with messages into the system prompt.
func (w *contextWindow) foldBriefing() {
	w.conversation.briefing.fold(w.budget.bytes(w.budget.part(2 * rulesPercent)))
	for i := range w.conversation.messages {
		w.conversation.messages[i].Briefing = ""
	}
}
