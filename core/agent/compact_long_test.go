package agent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/ports/ai"
)

// TestALongChatIsNotSummarisedAtEveryMessage: sixty messages of 4 KB in a window of
// 8,192 tokens.
func TestALongChatIsNotSummarisedAtEveryMessage(t *testing.T) {
	for protocol := range protocols {
		t.Run(protocol, func(t *testing.T) {
			v := &vendor{window: 8192, perByte: 0.25}
			s := windowScene(t, protocol, v)
			total := 0
			s.wish = "The goal is a blue page. " + strings.Repeat("Think of it. ", 300)
			for i := range 60 {
				v.turns = []turn{{text: "Noted."}}
				endsWell(t, v, s)
				total += len(s.compactions())
				s.goOn(fmt.Sprintf("Wish %d. ", i) + strings.Repeat("A word or two. ", 270))
			}
			if total != v.summaries || total > 30 {
				t.Errorf("got %d compactions told and %d summaries asked for, want them alike and at most every other message", total, v.summaries)
			}
			if s.summary == nil || !strings.Contains(s.summary.Text, "The goal is a blue page.") || len(s.summary.Text) > 4<<10 {
				t.Errorf("got %+v, want a short summary with the goal", s.summary)
			}
		})
	}
}

// TestNothingIsToldOfASummaryThatNobodyWrote: a chat whose results alone are too many
// is shortened in silence, in every run.
func TestNothingIsToldOfASummaryThatNobodyWrote(t *testing.T) {
	v := &vendor{window: 16_384, perByte: 0.25}
	s := windowScene(t, "openai", v)
	fill(s.project, 30<<10)
	for range 6 {
		v.turns = []turn{{calls: []ai.Call{{Tool: "read_file", Args: []byte(`{"path":"data.json"}`)}}}, {text: "Read."}}
		endsWell(t, v, s)
		if strings.Contains(s.types(), "compaction") && v.summaries == 0 {
			t.Fatalf("got %s, want no compaction told without a summary", s.types())
		}
		s.goOn("Again.")
	}
}

// TestAFailedSummaryEndsNothing: a chat that is too long goes on if the vendor refuses
// the summary or breaks it off.
func TestAFailedSummaryEndsNothing(t *testing.T) {
	for protocol := range protocols {
		v := &vendor{window: 8192, perByte: 0.4, unwilling: true}
		s := windowScene(t, protocol, v)
		for i := range 12 {
			v.turns = []turn{{text: "Noted."}}
			endsWell(t, v, s)
			if got := s.types(); strings.Contains(got, "compaction") {
				t.Fatalf("%s: got %s, want no word of a summary that failed", protocol, got)
			}
			s.goOn(fmt.Sprintf("Wish %d. ", i) + strings.Repeat("A word or two. ", 270))
		}
	}
	s := newScene()
	s.before = talk(8)
	s.small()
	s.model.Fail(&ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "broken"), Temporary: true}, ai.Chunk{Text: "They wan"}).Say("Done.")
	s.run(t.Context())
	if done := s.compactions(); s.err != nil || s.outcome.Reason != core.ReasonDone || len(done) != 1 || done[0].TokensAfter > done[0].TokensBefore {
		t.Errorf("got %v, %+v, want the run to go on and the compaction closed", s.err, done)
	}
}

// TestTheVocabularyIsRemembered: a run begins with the tokens per byte that the last one
// measured.
func TestTheVocabularyIsRemembered(t *testing.T) {
	for protocol := range protocols {
		v := &vendor{window: 32_768, perByte: 0.55}
		s := windowScene(t, protocol, v)
		fill(s.project, 100<<10)
		var learnt float64
		alter := s.alter
		s.alter = func(task *agent.Task) {
			alter(task)
			task.TokensPerByte = learnt
			task.Calibrate = func(_ context.Context, perByte float64) error { learnt = perByte; return nil }
		}
		v.turns = []turn{{calls: []ai.Call{{Tool: "read_file", Args: []byte(`{"path":"data.json"}`)}}}, {text: "Read."}}
		endsWell(t, v, s)
		if learnt < 0.45 || learnt > 0.7 {
			t.Errorf("%s: got %.2f tokens a byte, want about 0.55", protocol, learnt)
		}
		for range 4 {
			s.goOn(strings.Repeat("One more wish. ", 4000))
			v.turns = []turn{{text: "Noted."}}
			s.run(t.Context())
			if v.refusals > 0 || s.err != nil || s.outcome.Reason != core.ReasonDone {
				t.Fatalf("%s: got %d refusals, %v, want none once the vocabulary is known", protocol, v.refusals, s.err)
			}
		}
	}
}

// TestPicturesThatDoNotFitAreLeftOut: eight pictures are more than a window of 8,192
// tokens has room for.
func TestPicturesThatDoNotFitAreLeftOut(t *testing.T) {
	s := newScene()
	s.alter = func(task *agent.Task) {
		task.Context = 8192
		task.Images = map[int64][]ai.Image{1: make([]ai.Image, 8)}
	}
	s.model.Say("Nice.")
	s.run(t.Context())
	got := s.model.Requests()[0].Messages[0]
	if s.err != nil || len(got.Images) == 0 || len(got.Images) > 4 || !strings.Contains(got.Text, "image no longer shown") {
		t.Errorf("got %d images and %q, %v, want fewer and a word about it", len(got.Images), got.Text, s.err)
	}
}

// TestAVeryLongChatIsCutInOnePass: tens of thousands of messages, and a model that writes
// no summaries.
func TestAVeryLongChatIsCutInOnePass(t *testing.T) {
	v := &vendor{window: 8192, perByte: 0.25, unwilling: true}
	s := windowScene(t, "openai", v)
	s.before = append(s.before, core.UserMessage{Text: "The goal."})
	for i := range 20_000 {
		id := fmt.Sprint("call", i)
		s.before = append(s.before, core.ToolCall{ID: id, Tool: "list_files", Args: []byte(`{}`)}, core.UsageInfo{InputTokens: 1}, core.ToolResult{ID: id, Result: "a.txt"})
	}
	s.before = append(s.before, core.TaskComplete{Reason: core.ReasonDone})
	v.turns = []turn{{text: "Yes."}}
	endsWell(t, v, s)
}
