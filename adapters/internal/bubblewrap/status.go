package bubblewrap

import (
	"encoding/json"
	"io"
)

// ReadStatus reads what bubblewrap reports (--json-status-fd) until it is gone: first the
// process that is the init of the command, later the command's exit code. The code is
// missing when the command never started or did not end by itself.
func ReadStatus(from io.Reader, inner *Process) (code int, exited bool) {
	reports := json.NewDecoder(from)
	for {
		var report struct {
			ChildPID int  `json:"child-pid"`
			ExitCode *int `json:"exit-code"`
		}
		if err := reports.Decode(&report); err != nil {
			return code, exited
		}
		if report.ChildPID != 0 {
			inner.Set(report.ChildPID)
		}
		if report.ExitCode != nil {
			code, exited = *report.ExitCode, true
		}
	}
}
