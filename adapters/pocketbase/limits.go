package pocketbase

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/pocketbase/dbx"
	validation "github.com/pocketbase/ozzo-validation/v4"
	"github.com/pocketbase/pocketbase/apis"
	pb "github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/hook"
	"github.com/pocketbase/pocketbase/tools/router"
	"golang.org/x/sys/unix"

	"github.com/atelierhq/atelier/adapters/pocketbase/bounded"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/backend"
)

// Limits are the limits of one place. 0 selects the default.
type Limits struct {
	// Bytes limits the database (1 GiB), FileBytes the files (5 GiB).
	Bytes, FileBytes int64
	// Query limits the time of each query of a request (5 s).
	Query time.Duration
	// Select limits the time of each query of SQL (backend.MaxQueryTime).
	Select time.Duration
	// Streams limits realtime connections (200), Requests the requests per second (100).
	Streams, Requests int
	// SignIn limits the time of an OAuth provider (15 s).
	SignIn time.Duration
}

// orPreset returns the limits with their defaults.
func (l Limits) orPreset() Limits {
	orDefault(&l.Bytes, 1<<30)
	orDefault(&l.FileBytes, 5<<30)
	orDefault(&l.Query, 5*time.Second)
	orDefault(&l.Select, backend.MaxQueryTime*time.Millisecond)
	orDefault(&l.Streams, 200)
	orDefault(&l.Requests, 100)
	orDefault(&l.SignIn, 15*time.Second)
	return l
}

// pageBytes is the size of a database's page.
const pageBytes = 4096

// maxPages returns how many pages a database may have.
func (l Limits) maxPages() int64 { return l.Bytes / pageBytes }

// full is the message for a database at its limit.
func (l Limits) full() string {
	return fmt.Sprintf("The records of this application have reached their limit of %s.", mebibytes(l.Bytes))
}

// tooSlow is the message for a query at its limit.
func (l Limits) tooSlow() string {
	return fmt.Sprintf("The query took longer than %s. Ask for less, or add an index.", l.Query)
}

// maxValueBytes bounds a record, and a text that a query makes.
const maxValueBytes = 8 << 20

// Messages for what is larger than it may be.
var (
	tooLarge    = fmt.Sprintf("The answer is larger than %s. Ask for fewer records (perPage) or fields (fields).", mebibytes(maxAnswerBytes))
	textTooLong = fmt.Sprintf("A record, or a text that a query makes, has more than %s.", mebibytes(maxValueBytes))
)

func mebibytes(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }

// explainLimits is the middleware that answers with a clear message if a request reaches a
// limit. PocketBase has only general messages for that, and sometimes a 500.
func (a *application) explainLimits() *hook.Handler[*pb.RequestEvent] {
	return &hook.Handler[*pb.RequestEvent]{
		Id:       "atelierLimits",
		Priority: apis.DefaultPanicRecoverMiddlewarePriority + 2,
		Func:     func(e *pb.RequestEvent) error { return a.explainLimit(e, e.Next()) },
	}
}

func (a *application) explainLimit(e *pb.RequestEvent, err error) error {
	switch {
	case err == nil:
		return nil
	case a.isFull(err):
		backend.Refuse(e.Response, http.StatusRequestEntityTooLarge, a.limits.full())
		return nil
	case isTooSlow(err):
		backend.Refuse(e.Response, http.StatusBadRequest, a.limits.tooSlow())
		return nil
	case anyReason(err, func(reason error) bool { return errors.Is(reason, bounded.ErrTooLarge) }):
		backend.Refuse(e.Response, http.StatusBadRequest, tooLarge)
		return nil
	case mentions(err, "string or blob too big") && isRead(e.Request.Method):
		backend.Refuse(e.Response, http.StatusBadRequest, textTooLong)
		return nil
	case mentions(err, "string or blob too big"):
		backend.Refuse(e.Response, http.StatusRequestEntityTooLarge, textTooLong)
		return nil
	case isOutOfTurn(err):
		e.Response.Header().Set("Retry-After", "2")
		backend.Refuse(e.Response, http.StatusServiceUnavailable, "The application asks for more data at a time than it may. Try again in a moment.")
		return nil
	}
	refusal := new(router.ApiError)
	if isDiskFault(err) || errors.As(err, &refusal) && refusal.Status == http.StatusInternalServerError {
		e.Response.Header().Set("Retry-After", "1")
		backend.Refuse(e.Response, http.StatusServiceUnavailable, "The data is not available at the moment. Try again.")
		return nil
	}
	return err
}

// bindLimits lets a write to a full database fail with a clear error, which PocketBase
// passes on, also in a batch.
func (a *application) bindLimits() {
	explain := func(e *pb.ModelEvent) error {
		err := e.Next()
		if a.isFull(err) {
			return router.NewApiError(http.StatusRequestEntityTooLarge, a.limits.full(), err)
		}
		return err
	}
	a.OnModelCreateExecute().BindFunc(explain)
	a.OnModelUpdateExecute().BindFunc(explain)
	a.OnModelDeleteExecute().BindFunc(explain)
}

// scarceBytes is the free space on the disk below which no database may grow.
const scarceBytes = 128 << 20

// isFull reports whether a write failed because the database has reached its limit. SQLite
// returns the same error for a full disk.
func (a *application) isFull(err error) bool {
	if !mentions(err, "database or disk is full") {
		return false
	}
	var disk unix.Statfs_t
	return unix.Statfs(a.DataDir(), &disk) != nil || disk.Bavail*uint64(disk.Bsize) > scarceBytes
}

// isDiskFault reports whether the disk refused a file, which PocketBase takes for a bad request.
func isDiskFault(err error) bool {
	return anyReason(err, func(reason error) bool {
		return slices.ContainsFunc([]error{unix.ENOSPC, unix.EDQUOT, unix.EIO, unix.EROFS, unix.EMFILE, unix.ENFILE}, func(fault error) bool {
			return errors.Is(reason, fault)
		})
	})
}

// isTooSlow reports whether a query was stopped because of its time.
func isTooSlow(err error) bool {
	return anyReason(err, func(reason error) bool { return errors.Is(reason, bounded.ErrTooSlow) })
}

// isOutOfTurn reports whether a query has waited too long for others, and did not run. PocketBase
// says which query failed; what else has a deadline does not concern the database.
func isOutOfTurn(err error) bool {
	return anyReason(err, func(reason error) bool {
		return errors.Is(reason, context.DeadlineExceeded) && strings.Contains(reason.Error(), "failed query")
	})
}

// withoutDeadline returns a context for a statement that reads all of a database, which has its time.
// It ends with ctx.
func withoutDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	whole, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel)
	return whole, func() { stop(); cancel() }
}

func isRead(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// mentions reports whether an error contains a text.
func mentions(err error, text string) bool {
	return anyReason(err, func(reason error) bool { return strings.Contains(reason.Error(), text) })
}

// anyReason reports whether a condition holds for an error or a wrapped one. PocketBase
// hides reasons in rejections and in the items of a batch.
func anyReason(err error, holds func(error) bool) bool {
	if err == nil {
		return false
	}
	if holds(err) {
		return true
	}
	var behind []error
	switch err := err.(type) { //nolint:errorlint // errors.As does not look into these
	case dbx.Errors:
		behind = err
	case validation.Errors:
		behind = slices.Collect(maps.Values(err))
	case *apis.BatchResponseError:
		data, _ := err.Resolve(map[string]any{}).(map[string]any)
		if refusal, _ := data["response"].(*router.ApiError); refusal != nil {
			behind = []error{refusal}
		}
	case *router.ApiError:
		if reason, ok := err.RawData().(error); ok {
			behind = []error{reason}
		}
	default:
		behind = []error{errors.Unwrap(err)}
	}
	return slices.ContainsFunc(behind, func(reason error) bool { return anyReason(reason, holds) })
}

// withLimit adds the code of the limit to the error of a change.
func (a *application) withLimit(err error) error {
	if a.isFull(err) {
		return core.Wrap(core.CodePayloadTooLarge, err, "%s", strings.TrimSuffix(a.limits.full(), "."))
	}
	return err
}
