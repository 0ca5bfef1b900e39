package loglimit

import (
	"bytes"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"
)

func TestEachWarningIsLoggedOnceInAnInterval(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var written bytes.Buffer
		plain := slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
				return slog.Attr{}
			}
			return a
		}}
		limiter := New(slog.New(slog.NewTextHandler(&written, &plain)), time.Minute)
		warn := func(message string) { limiter.Warn(t.Context(), message, "n", 1) }
		expect := func(want string) {
			t.Helper()
			if got := written.String(); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			written.Reset()
		}
		warn("full")
		warn("full")
		warn("slow")
		expect("msg=full n=1\nmsg=slow n=1\n")
		time.Sleep(time.Minute - 1)
		warn("full")
		expect("")
		time.Sleep(time.Nanosecond)
		warn("full")
		warn("slow")
		expect("msg=full n=1 left_out=2\nmsg=slow n=1\n")
		time.Sleep(time.Minute)
		warn("full")
		expect("msg=full n=1\n")
	})
}
