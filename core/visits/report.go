package visits

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/atelierhq/atelier/core"
)

// Bounds of a report.
const (
	MaxDays     = 365
	DefaultDays = 30
	// maxRows is how many pages, and how many referrers, a report names.
	maxRows = 50
)

// Report is how often a site was visited.
type Report struct {
	Visits int64 `json:"visits"`
	Views  int64 `json:"views"`
	// Days has every day of the report, the oldest first.
	Days []Day `json:"days"`
	// Pages and Referrers are the most frequent ones, at most 50. Others are in one without a path
	// or host.
	Pages     []Page     `json:"pages"`
	Referrers []Referrer `json:"referrers"`
}

// Day is one day, UTC, as YYYY-MM-DD.
type Day struct {
	Day    string `json:"day"`
	Visits int64  `json:"visits"`
	Views  int64  `json:"views"`
}

// Page is how often a page was opened.
type Page struct {
	Path  string `json:"path"`
	Views int64  `json:"views"`
}

// Referrer is how many visits came from a host.
type Referrer struct {
	Host   string `json:"host"`
	Visits int64  `json:"visits"`
}

// Report returns the visits of a project's site in the last days, today included; days is 1 to
// MaxDays. It has what this process has counted up to the call, and what others have up to some
// seconds ago. Errors are those of access.Gate.Project, and core.CodeValidationFailed.
func (c *Counter) Report(ctx context.Context, by core.Actor, project core.ID, days int) (Report, error) {
	if days < 1 || days > MaxDays {
		return Report{}, core.Errorf(core.CodeValidationFailed, "days must be a number from 1 to %d", MaxDays)
	}
	if _, err := c.deps.Gate.Project(ctx, by, core.ActionPublishRead, project); err != nil {
		return Report{}, err
	}
	c.write(ctx)
	today := core.SiteDay(core.At(c.deps.Now()))
	first := today - int64(days) + 1
	counts, err := c.deps.Store.Tables().SiteCounts.List(ctx, project, first)
	if err != nil {
		return Report{}, err
	}
	return reportOf(counts, first, days), nil
}

func reportOf(counts []core.SiteCount, first int64, days int) Report {
	report := Report{Days: make([]Day, days), Pages: []Page{}, Referrers: []Referrer{}}
	for i := range report.Days {
		report.Days[i].Day = time.Unix((first+int64(i))*24*60*60, 0).UTC().Format(time.DateOnly)
	}
	pages, referrers := map[string]int64{}, map[string]int64{}
	for _, count := range counts {
		at := count.Day - first
		if at >= int64(days) {
			continue // a clock of another process is ahead
		}
		switch day := &report.Days[at]; count.Kind {
		case core.CountVisits:
			report.Visits += count.Count
			day.Visits += count.Count
		case core.CountPages:
			report.Views += count.Count
			day.Views += count.Count
			pages[count.Name] += count.Count
		case core.CountReferrers:
			referrers[count.Name] += count.Count
		}
	}
	for _, row := range mostFrequent(pages) {
		report.Pages = append(report.Pages, Page{row.name, row.count})
	}
	for _, row := range mostFrequent(referrers) {
		report.Referrers = append(report.Referrers, Referrer{row.name, row.count})
	}
	return report
}

type row struct {
	name  string
	count int64
}

// mostFrequent returns the rows with the highest counts, and the sum of the others without a name
// at the end.
func mostFrequent(counts map[string]int64) []row {
	others := counts[""]
	var rows []row
	for name, count := range counts {
		if name != "" {
			rows = append(rows, row{name, count})
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.name, b.name)) })
	for _, rest := range rows[min(len(rows), maxRows):] {
		others += rest.count
	}
	rows = rows[:min(len(rows), maxRows)]
	if others > 0 {
		rows = append(rows, row{"", others})
	}
	return rows
}
