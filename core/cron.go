package core

import (
	"strconv"
	"strings"
	"time"
)

// Cron is a schedule of five fields, in UTC: minute, hour, day of the month, month and day of the
// week. A field is *, or a list of numbers and ranges, each with a step if wanted: */15, 1-5,
// 8,20. Months and days of the week also have names of three letters; Sunday is 0 or 7. If both
// days are restricted, either is enough, as in every cron.
//
// It has a parser of its own because core imports nothing, and a schedule is read both where
// functions are bundled and where they are run.
type Cron struct {
	minutes, hours, days, months, weekdays uint64
	// eitherDay says that both kinds of days are restricted.
	eitherDay bool
}

// maxCronBytes bounds the text of a schedule.
const maxCronBytes = 200

// cronField is the range of a field, and the names of its first values.
type cronField struct {
	what     string
	from, to int
	names    string
}

// ParseCron reads a schedule. Its errors have core.CodeValidationFailed, and say what to write.
func ParseCron(text string) (Cron, error) {
	fields := strings.Fields(text)
	if len(text) > maxCronBytes || len(fields) != 5 {
		return Cron{}, Errorf(CodeValidationFailed, `a schedule has five fields, such as "0 8 * * *" for every day at 8:00 UTC: minute, hour, day of the month, month, day of the week`)
	}
	var parsed [5]uint64
	for i, field := range []cronField{
		{"minute", 0, 59, ""}, {"hour", 0, 23, ""}, {"day of the month", 1, 31, ""},
		{"month", 1, 12, "jan feb mar apr may jun jul aug sep oct nov dec"}, {"day of the week", 0, 7, "sun mon tue wed thu fri sat"},
	} {
		var err error
		if parsed[i], err = field.parse(fields[i]); err != nil {
			return Cron{}, err
		}
	}
	c := Cron{minutes: parsed[0], hours: parsed[1], days: parsed[2], months: parsed[3], weekdays: parsed[4]}
	c.weekdays |= c.weekdays >> 7 & 1
	c.eitherDay = !strings.HasPrefix(fields[2], "*") && !strings.HasPrefix(fields[4], "*")
	if c.Next(time.Unix(0, 0)).IsZero() {
		return Cron{}, Errorf(CodeValidationFailed, "the schedule %q has no date: no such month has that day", text)
	}
	return c, nil
}

// parse returns the values of a field as bits.
func (f cronField) parse(text string) (bits uint64, err error) {
	for part := range strings.SplitSeq(text, ",") {
		span, stepText, stepped := strings.Cut(part, "/")
		first, last := f.from, f.to
		ranged := span == "*"
		if !ranged {
			var end string
			span, end, ranged = strings.Cut(span, "-")
			if first, err = f.value(span); err != nil {
				return 0, err
			}
			last = first
			if ranged {
				if last, err = f.value(end); err != nil {
					return 0, err
				}
			}
		}
		step := 1
		if stepped {
			step, err = strconv.Atoi(stepText)
			if err != nil || step < 1 || step > f.to || !ranged {
				return 0, f.wrong(part)
			}
		}
		if last < first {
			return 0, f.wrong(part)
		}
		for value := first; value <= last; value += step {
			bits |= 1 << value
		}
	}
	return bits, nil
}

// value reads a number or a name.
func (f cronField) value(text string) (int, error) {
	for i, name := range strings.Fields(f.names) {
		if strings.EqualFold(text, name) {
			return f.from + i, nil
		}
	}
	value, err := strconv.Atoi(text)
	if err != nil || value < f.from || value > f.to || text[0] == '+' {
		return 0, f.wrong(text)
	}
	return value, nil
}

func (f cronField) wrong(part string) error {
	return Errorf(CodeValidationFailed, "%q is no %s of a schedule: write *, numbers from %d to %d, ranges or steps, such as 1,3-5 or */2", part, f.what, f.from, f.to)
}

// maxCronDays is how far ahead a date may be: the 29th of February is missing from 2100.
const maxCronDays = 9 * 366

// Next returns the first time of the schedule after a time, or zero if there is none.
func (c Cron) Next(after time.Time) time.Time {
	at := after.UTC().Truncate(time.Minute).Add(time.Minute)
	day := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC)
	earliest := at.Hour()*60 + at.Minute()
	for range maxCronDays {
		if c.isDay(day) {
			if minute := c.minuteFrom(earliest); minute >= 0 {
				return day.Add(time.Duration(minute) * time.Minute)
			}
		}
		day, earliest = day.AddDate(0, 0, 1), 0
	}
	return time.Time{}
}

func (c Cron) isDay(day time.Time) bool {
	if c.months>>day.Month()&1 == 0 {
		return false
	}
	ofMonth, ofWeek := c.days>>day.Day()&1 == 1, c.weekdays>>day.Weekday()&1 == 1
	if c.eitherDay {
		return ofMonth || ofWeek
	}
	return ofMonth && ofWeek
}

// minuteFrom returns the first minute of a day from one on, -1 if there is none.
func (c Cron) minuteFrom(earliest int) int {
	for minute := earliest; minute < 24*60; minute++ {
		if c.hours>>(minute/60)&1 == 1 && c.minutes>>(minute%60)&1 == 1 {
			return minute
		}
	}
	return -1
}
