package core_test

import (
	"strings"
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
)

func TestCronNext(t *testing.T) {
	for _, c := range []struct{ schedule, after, want string }{
		{"0 8 * * *", "2026-11-23 07:59:59", "2026-11-23 08:00"},
		{"0 8 * * *", "2026-11-23 08:00:00", "2026-11-24 08:00"},
		{"* * * * *", "2026-12-31 23:59:01", "2027-01-01 00:00"},
		{"*/15 * * * *", "2026-11-23 08:01:00", "2026-11-23 08:15"},
		{"5-20/5,50 6,18 * * *", "2026-11-23 06:21:00", "2026-11-23 06:50"},
		{"30 9 1 * *", "2026-11-23 00:00:00", "2026-12-01 09:30"},
		{"0 0 29 2 *", "2096-03-01 00:00:00", "2104-02-29 00:00"},
		{"0 12 * * mon-FRI", "2026-11-27 12:00:00", "2026-11-30 12:00"},
		{"0 12 * * 7", "2026-11-23 00:00:00", "2026-11-29 12:00"},
		{"0 12 * * 5-7", "2026-11-28 13:00:00", "2026-11-29 12:00"},
		{"0 0 13 * 5", "2026-11-23 00:00:00", "2026-11-27 00:00"},
		{"0 0 */2 * mon", "2026-11-23 00:00:00", "2026-12-07 00:00"},
		{"0 0 1 jan,Jul *", "2026-11-23 00:00:00", "2027-01-01 00:00"},
		{"  0   0 31 12 * ", "2026-12-31 00:00:00", "2027-12-31 00:00"},
	} {
		cron, err := core.ParseCron(c.schedule)
		if err != nil {
			t.Errorf("%s: %v", c.schedule, err)
			continue
		}
		after, err := time.Parse(time.DateTime, c.after)
		if err != nil {
			t.Fatal(err)
		}
		if got := cron.Next(after.In(time.FixedZone("elsewhere", 7200))).Format("2006-01-02 15:04"); got != c.want {
			t.Errorf("%s after %s: got %s, want %s", c.schedule, c.after, got, c.want)
		}
	}
}

func TestCronRefusesWhatIsNoSchedule(t *testing.T) {
	for _, schedule := range []string{
		"", "* * * *", "* * * * * *", "@daily", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8", "-1 * * * *", "+1 * * * *",
		"5-1 * * * *", "*/0 * * * *", "*/x * * * *", "1/2 * * * *", "1- * * * *", "1,,2 * * * *", "mon * * * *", "0 0 31 2 *", "0 0 31 4,6 *", "1.5 * * * *",
		"*/9999999999999999999 * * * *", strings.Repeat("1,", 100) + "1 * * * *",
	} {
		if _, err := core.ParseCron(schedule); !core.IsCode(err, core.CodeValidationFailed) {
			t.Errorf("%q: got %v, want %s", schedule, err, core.CodeValidationFailed)
		}
	}
}

func FuzzCronNextIsLater(f *testing.F) {
	f.Add("0 8 * * *", int64(0))
	f.Add("*/7 1-3,20 29 2 mon", int64(1<<33))
	f.Fuzz(func(t *testing.T, schedule string, after int64) {
		cron, err := core.ParseCron(schedule)
		if err != nil || after < 0 || after > 1<<40 {
			return
		}
		at := time.Unix(after, 0)
		if next := cron.Next(at); !next.After(at) || next.Second() != 0 {
			t.Errorf("%q after %v: got %v", schedule, at, next)
		}
	})
}
