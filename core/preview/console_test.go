package preview_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/preview"
)

func TestConsole(t *testing.T) {
	t.Run("reaches members who watch, and the agent", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.start()
			events := s.watch(t.Context())
			heard(events)
			s.must(s.preview.Report(s.project, preview.ConsoleEntry{Level: "error", Message: "x is not defined", Source: "/app.js", Line: 3, Column: 7}))
			got, event := heard(events)
			expect(t, got, preview.EventConsole)
			if event.ConsoleEntry == nil || event.Message != "x is not defined" || event.CreatedAt == 0 {
				t.Errorf("got %+v, want the entry with its time", event)
			}
			want := "[error: x is not defined (/app.js:3:7)]"
			if got := fmt.Sprint(s.preview.Console(s.project)); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	})

	t.Run("names places in the sources, and none in packages", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.write("@app/src/App.tsx.js", "code")
			s.write("@app/src/App.tsx.js.map", `{"version":3,"sources":["src/App.tsx"],"mappings":";AAAA,UCEI;IDDJ"}`)
			s.start()
			s.must(s.preview.Report(s.project, preview.ConsoleEntry{
				Level: "error", Source: "https://one.preview.test/@app/src/App.tsx.js?v=1a", Line: 3, Column: 5,
				Message: "no cups\n    at App (https://one.preview.test/@app/src/App.tsx.js?v=1a:2:3)\n    at render (https://one.preview.test/@deps/react-dom.js:9:1)\n    at /@app/src/other.js:1:1",
			}))
			want := "[error: no cups\n    at App (src/App.tsx:1:1)\n    at /@app/src/other.js:1:1 (src/App.tsx:2:1)]"
			if got := fmt.Sprint(s.preview.Console(s.project)); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	})

	t.Run("begins anew with another build", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.start()
			s.must(s.preview.Report(s.project, preview.ConsoleEntry{Level: "log", Message: "old"}))
			s.write("index.html", "two")
			s.shown()
			if got := s.preview.Console(s.project); len(got) != 0 {
				t.Errorf("got %v, want nothing", got)
			}
		})
	})

	t.Run("keeps room for errors, however much is merely said", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.start()
			say := func(level string) error {
				return s.preview.Report(s.project, preview.ConsoleEntry{Level: level, Message: level})
			}
			s.must(say("error"))
			for range 200 {
				for say("debug") == nil {
				}
				time.Sleep(time.Second)
			}
			if err := say("warn"); err != nil {
				t.Errorf("got %v for a warning beside a loop that logs, want it taken", err)
			}
			kept := s.preview.Console(s.project)
			if len(kept) != 100 || kept[0] != "error: error" || kept[99] != "warn: warn" {
				t.Errorf("got %d entries from %q to %q, want 100, from the error to the warning", len(kept), kept[0], kept[len(kept)-1])
			}
		})
	})

	t.Run("takes 20 entries at once and 5 a second, and keeps 100", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.start()
			say := func() error {
				return s.preview.Report(s.project, preview.ConsoleEntry{Level: "log", Message: "hello"})
			}
			for i := range 20 {
				if err := say(); err != nil {
					t.Fatalf("entry %d: got %v, want no error", i, err)
				}
			}
			if err := say(); !core.IsCode(err, core.CodeRateLimited) {
				t.Errorf("got %v, want %s", err, core.CodeRateLimited)
			}
			time.Sleep(time.Second)
			taken := 0
			for say() == nil {
				taken++
			}
			if taken != 5 {
				t.Errorf("got %d entries a second, want 5", taken)
			}
			for range 100 {
				time.Sleep(time.Second)
				s.must(say())
			}
			if n := len(s.preview.Console(s.project)); n != 100 {
				t.Errorf("got %d entries kept, want 100", n)
			}
		})
	})

	t.Run("cuts what is too long, between characters", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.start()
			s.must(s.preview.Report(s.project, preview.ConsoleEntry{Level: "log", Message: "a" + strings.Repeat("ü", 5000) + "\xff", Source: strings.Repeat("x", 1000)}))
			got := s.preview.Console(s.project)[0]
			if len(got) > 4600 || !utf8.ValidString(got) {
				t.Errorf("got %d bytes, valid: %v, want at most 4600 valid ones", len(got), utf8.ValidString(got))
			}
		})
	})

	t.Run("refuses a level that it does not know", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			if err := s.preview.Report(s.project, preview.ConsoleEntry{Level: "fatal"}); !core.IsCode(err, core.CodeValidationFailed) {
				t.Errorf("got %v, want %s", err, core.CodeValidationFailed)
			}
		})
	})

	t.Run("is empty while the preview is not up", func(t *testing.T) {
		play(t, func(t *testing.T, s *studio) {
			s.must(s.preview.Report(s.project, preview.ConsoleEntry{Level: "log", Message: "late"}))
			if got := s.preview.Console(s.project); len(got) != 0 {
				t.Errorf("got %v, want nothing", got)
			}
		})
	})
}
