package bubblewrap

import (
	"encoding/json"
	"io"
)

// ReadStatus reads bubblewrap's reports (--json-status-fd) until bubblewrap is gone. The
// first names the process that is the init of the command, a later one the command's exit
// code. The code is missing if the command never started or was killed.
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
