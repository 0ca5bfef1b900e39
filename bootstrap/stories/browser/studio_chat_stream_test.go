package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/conformance"
)

func aReloadLosesNothing(t *testing.T, c *chromium, _ *service) {
	talks, s := startTalker(t)
	want := talks.on("count for me", counting(400, 8*time.Millisecond))
	made := s.signUp(t).create("blank")
	p := c.workbench(t, made)
	p.ask("count for me")
	for _, word := range []string{"word0050", "word0150", "word0250"} {
		p.sees(word)
		p.wantBeginning(want)
		p.visit(s.url + "/projects/" + string(made.ID))
	}
	p.answered()
	p.wantAnswer(want)
	p.visit(s.url + "/projects/" + string(made.ID))
	p.answered()
	p.wantAnswer(want)
	if got := evaluate[int](p, `document.querySelectorAll('.turn').length`); got != 1 {
		t.Errorf("got %d messages, want 1", got)
	}
	p.wantQuiet()
}

// wantAnswer compares the newest answer with what a talker said, letter by letter.
func (p *tab) wantAnswer(want answer) {
	p.t.Helper()
	if got := strings.TrimSpace(p.lastAnswer()); got != strings.TrimSpace(want.text()) {
		p.t.Errorf("got %.300q…, %d bytes, want %.300q…, %d bytes", got, len(got), want.text(), len(want.text()))
	}
}

// wantBeginning compares an unfinished answer with what a talker said so far.
func (p *tab) wantBeginning(want answer) {
	p.t.Helper()
	got := strings.TrimSpace(p.lastAnswer())
	if got == "" || len(got) >= len(want.text()) || !strings.HasPrefix(want.text(), got) {
		p.t.Errorf("got …%s, %d bytes, want the beginning of %d bytes", got[max(0, len(got)-200):], len(got), len(want.text()))
	}
}

func aBreakLosesNothing(t *testing.T, c *chromium, _ *service) {
	talks, s := startTalker(t)
	want := talks.on("count for me", counting(1200, 10*time.Millisecond))
	p := c.workbench(t, s.signUp(t).create("blank"))
	p.ask("count for me")
	p.sees("word0050")
	p.offline(true)
	s.cut()
	p.sees("Reconnecting")
	p.offline(false)
	p.misses("Reconnecting")
	p.wantBeginning(want)
	p.answered()
	p.wantAnswer(want)
}

// offline takes the tab from the network, or gives it back.
func (p *tab) offline(is bool) {
	p.t.Helper()
	if is {
		p.network(&network.Conditions{Offline: true, DownloadThroughput: -1, UploadThroughput: -1})
		return
	}
	p.network()
}

// network puts the tab on a network of its own, or on the machine's.
func (p *tab) network(conditions ...*network.Conditions) {
	p.t.Helper()
	if conditions == nil {
		conditions = []*network.Conditions{}
	}
	send(p, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: conditions})
}

func modelsAreHostile(t *testing.T, c *chromium, _ *service) {
	talks, s := startTalker(t)
	const nasty = "<script>window.hacked = 1</script>\n\n<img src=x onerror=\"window.hacked = 2\">\n\n" +
		"[a](javascript:window.hacked=3) [b](data:text/html,x) [c](https://good.example/x) ![pixel](https://evil.example/p.png)\n\n" +
		"`rm \u202egnp.exe` and \u2066more\n\n<iframe src=https://evil.example></iframe>\n\n**bold** &lt;u&gt;\n\n"
	talks.on("be nasty", answer{pieces: []string{nasty, "```html\n<script>window.hacked = 4</script>\n```\n"}})
	var lines []string
	for i := range 10_000 {
		lines = append(lines, fmt.Sprintf("line %d <b>**y**", i))
	}
	talks.on("be long", answer{pieces: []string{strings.Join(lines, "\n"), "\n\n" + strings.Repeat("> ", 5000) + strings.Repeat("[", 5000), "\n\nthe end"}})
	made := s.signUp(t).create("blank")
	p := c.workbench(t, made)
	p.ask("be nasty")
	p.answered()
	p.sees("<script>window.hacked = 1</script>")
	p.sees(`<img src=x onerror="window.hacked = 2">`)
	p.sees("U+202E")
	p.sees("<script>window.hacked = 4</script>")
	p.sees("bold <u>")
	links := evaluate[[]string](p, `[...document.querySelectorAll('.md a')].map((a) => a.href + ' ' + a.rel + ' ' + a.target)`)
	want := []string{"https://good.example/x noopener noreferrer nofollow _blank", "https://evil.example/p.png noopener noreferrer nofollow _blank"}
	if !slices.Equal(links, want) {
		t.Errorf("got the links %q, want %q", links, want)
	}
	if made := evaluate[int](p, `document.querySelectorAll('.md script, .md img, .md iframe, .md u').length + (window.hacked ?? 0)`); made != 0 {
		t.Errorf("got %d elements or scripts of the model's, want none", made)
	}

	p.ask("be long")
	p.answered()
	p.sees("the end")
	p.sees("line 9999")
	yardstick := p.yardstick()
	took := p.longestTask(func() {
		p.fill("Describe a change", "still quick")
		p.until("the words", named("textbox", "Describe a change")+"?.value === 'still quick'")
	})
	t.Logf("typing took %s, the yardstick %s", took, yardstick)
	if took > yardstick {
		t.Errorf("got a task of %s for typing, want none longer than the yardstick of %s", took, yardstick)
	}
	p.visit(s.url + "/projects/" + string(made.ID))
	p.sees("the end")
	p.sees("line 9999")
	p.wantQuiet()
}

// streamingIsSmooth is the bar of 60 frames a second: no task of a page may take longer than the
// yardstick while deltas come. It is time of the processor that counts, which other work on the
// machine seldom makes longer: then a second or a third answer is smooth.
func streamingIsSmooth(t *testing.T, c *chromium) {
	talks, s := startTalker(t)
	rich := answer{pause: 10 * time.Millisecond}
	for i := range 500 {
		switch i % 100 {
		case 20:
			rich.pieces = append(rich.pieces, "\n\n```ts\n")
		case 60:
			rich.pieces = append(rich.pieces, "\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- one\n- two\n\n")
		default:
			rich.pieces = append(rich.pieces, fmt.Sprintf("const word%d = **some** `text`;\n", i))
		}
	}
	talks.on("stream to me", rich)
	p := c.workbench(t, s.signUp(t).create("blank"))
	p.until("the preview", `document.querySelector('iframe') !== null`)
	for answers := 1; ; answers++ {
		yardstick := p.yardstick()
		took := p.longestTask(func() {
			p.ask("stream to me")
			p.sees("word499")
			p.answered()
		})
		t.Logf("the longest task took %s, the yardstick %s", took, yardstick)
		if took > 0 && took <= yardstick {
			break
		}
		if answers == 3 {
			t.Fatalf("got a task of %s while an answer streamed, want none longer than the yardstick of %s", took, yardstick)
		}
		p.press("button", "New chat")
		p.until("the new chat", `document.querySelector('.turn') === null`)
	}
	p.wantQuiet()
}

// yardstick is how much of the processor the page takes to lay out a long table: about 50 ms of a quiet
// one.
func (p *tab) yardstick() time.Duration {
	p.t.Helper()
	return p.longestTask(func() {
		evaluate[bool](p, `new Promise((done) => setTimeout(() => {
			const table = document.createElement('table');
			for (let i = 0; i < 2000; i++) table.insertRow().insertCell().textContent = 'row';
			document.body.append(table);
			table.getBoundingClientRect();
			table.remove();
			setTimeout(() => done(true)); // A task that goes on when the trace ends is not in it.
		}))`)
	})
}

// longestTask is how much of the processor the longest task of a page takes while
// something is done.
func (p *tab) longestTask(act func()) time.Duration {
	p.t.Helper()
	var mu sync.Mutex
	var longest time.Duration
	over := make(chan struct{})
	ctx, leave := context.WithCancel(p.ctx)
	defer leave()
	err := chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *tracing.EventDataCollected:
			mu.Lock()
			defer mu.Unlock()
			for _, value := range e.Value {
				longest = max(longest, taskTime(value))
			}
		case *tracing.EventTracingComplete:
			close(over)
		}
	})
	if err != nil {
		p.t.Fatal(err)
	}
	send(p, tracing.Start, tracing.StartParams{TraceConfig: &tracing.TraceConfig{IncludedCategories: []string{"devtools.timeline", "disabled-by-default-devtools.timeline"}, ExcludedCategories: []string{"*"}}})
	act()
	send(p, tracing.End, cdp.Empty{})
	conformance.Await(p.t, "the trace", over)
	mu.Lock()
	defer mu.Unlock()
	return longest
}

// taskTime is how much of the processor a traced task took; 0 for other events.
func taskTime(event []byte) time.Duration {
	var task struct {
		Name string
		TDur int64 `json:"tdur"`
	}
	if json.Unmarshal(event, &task) != nil || task.Name != "RunTask" {
		return 0
	}
	return time.Duration(task.TDur) * time.Microsecond
}

func olderMessagesCome(t *testing.T, c *chromium, _ *service) {
	talks, s := startTalker(t)
	made := s.signUp(t).create("blank")
	var chats struct{ Items []core.Chat }
	made.call(http.StatusOK, http.MethodGet, made.path("/chats"), nil, &chats)
	for i := range 6 {
		said := counting(150, 3*time.Millisecond)
		said.pieces[0] = fmt.Sprintf("Answer %d. ", i)
		talks.on(fmt.Sprintf("question %d", i), said)
		body := map[string]string{"chatId": string(chats.Items[0].ID), "text": fmt.Sprintf("question %d", i)}
		response := made.send(http.MethodPost, "/chat/"+string(made.ID)+"/messages", "application/json", strings.NewReader(toJSON(t, body)))
		_, err := io.Copy(io.Discard, response.Body)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("got %d, %v, want the answer", response.StatusCode, err)
		}
		_ = response.Body.Close()
	}
	p := c.workbench(t, made)
	p.sees("Answer 5.")
	p.until("the end in view", `(({scrollTop, scrollHeight, clientHeight}) => scrollTop > 0 && scrollHeight - clientHeight - scrollTop < 2)(document.querySelector('.talk__scroll'))`)
	if got := evaluate[bool](p, `document.body.innerText.includes('question 0')`); got {
		t.Fatal("got all messages at once, want the newest first: the story has too few")
	}
	// The reader scrolls up step by step; what is in view must not move when more text
	// arrives.
	for range 60 {
		p.do(chromedp.Evaluate[chromedp.Void](`(async () => {
			const view = document.querySelector('.talk__scroll');
			view.scrollTop = Math.max(0, view.scrollTop - 200);
			await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
			window.seen = [...view.querySelectorAll('.said')].find((said) => said.getBoundingClientRect().bottom > view.getBoundingClientRect().top);
			window.seenAt = window.seen?.getBoundingClientRect().top ?? 0;
		})()`, chromedp.EvalAwaitPromise))
		p.settle()
		if moved := evaluate[float64](p, `Math.abs((window.seen?.getBoundingClientRect().top ?? 0) - window.seenAt)`); moved > 2 {
			t.Errorf("got what is in view moved by %.0f pixels, want it to stay", moved)
		}
	}
	p.sees("question 0")
	said := evaluate[[]string](p, `[...document.querySelectorAll('.said__text')].map((said) => said.textContent)`)
	if want := []string{"question 0", "question 1", "question 2", "question 3", "question 4", "question 5"}; !slices.Equal(said, want) {
		t.Errorf("got the messages %q, want %q", said, want)
	}
	p.press("button", "Newest")
	p.until("the end in view", `(({scrollTop, scrollHeight, clientHeight}) => scrollHeight - clientHeight - scrollTop < 2)(document.querySelector('.talk__scroll'))`)
	p.wantQuiet()
}

func toJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
