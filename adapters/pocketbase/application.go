package pocketbase

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase/apis"
	pb "github.com/pocketbase/pocketbase/core"
	_ "github.com/pocketbase/pocketbase/migrations" // the tables of PocketBase itself
	"github.com/pocketbase/pocketbase/tools/hook"
	"github.com/pocketbase/pocketbase/tools/router"

	"github.com/atelierhq/atelier/adapters/internal/durable"
	"github.com/atelierhq/atelier/adapters/internal/walship"
	"github.com/atelierhq/atelier/adapters/pocketbase/bounded"
	"github.com/atelierhq/atelier/adapters/pocketbase/hidden"
	"github.com/atelierhq/atelier/adapters/pocketbase/streams"
	"github.com/atelierhq/atelier/adapters/pocketbase/turns"
	"github.com/atelierhq/atelier/adapters/pocketbase/views"
	"github.com/atelierhq/atelier/ports/backend"
)

// application is a running PocketBase.
type application struct {
	*pb.BaseApp
	config  Config
	limits  Limits
	handler http.Handler
	// dir has the database, files the files of records.
	dir, files string
	// log ships the database. pin is a connection that stays open, so that SQLite makes no
	// checkpoint by itself. Both are nil if the database is not shipped.
	log *walship.Log
	pin *sql.Conn
	// streams are the requests that do not hold the data set's gate.
	streams sync.WaitGroup
	// sync waits until a file or a directory is on the disk.
	sync func(path string) error
}

// Connections of an application: readers of the database, and one connection to the
// auxiliary database, which stays empty. All readers stay open, because opening one takes as long
// as several requests; unused ones are closed after three minutes.
const (
	dataConnections = 4
	auxConnections  = 1
)

// start opens the database in dir, and creates it if needed. The files of records are in data.
func start(place backend.Place, dir, data string, config Config) (*application, error) {
	app := &application{config: config, limits: config.Limits, sync: durable.SyncDir, dir: dir, files: filepath.Join(data, storageDir), BaseApp: pb.NewBaseApp(pb.BaseAppConfig{
		DBConnect: connect(dir, durabilityOf(place, config), config),
		DataDir:   data,
		// It counts while a query waits, too; what runs has config.Limits.Query (connect).
		QueryTimeout:     config.Limits.Query + turns.Patience,
		DataMaxOpenConns: dataConnections + 1, // one may be the pin
		DataMaxIdleConns: dataConnections,
		AuxMaxOpenConns:  auxConnections,
		AuxMaxIdleConns:  auxConnections,
	})}
	if err := app.boot(place, config); err != nil {
		return nil, errors.Join(err, app.stop())
	}
	return app, nil
}

func (a *application) boot(place backend.Place, config Config) error {
	_, err := os.Stat(filepath.Join(a.dir, "data.db"))
	fresh := os.IsNotExist(err)
	if err := a.Bootstrap(); err != nil {
		return err
	}
	if err := a.RunAllMigrations(); err != nil {
		return err
	}
	if fresh {
		err = a.clear()
	} else {
		err = errors.Join(rename(a.BaseApp), tightenViews(a.BaseApp))
	}
	if err != nil {
		return err
	}
	if config.Shared != "" {
		a.Cron().Remove(checkpointJob)
	}
	a.bindHooks(place, config)
	a.bindLimits()
	a.keepUploads()
	hidden.Refuse(a.BaseApp)
	streams.Bind(a.BaseApp)
	router, err := apis.NewRouter(a.BaseApp)
	if err != nil {
		return err
	}
	router.Bind(impersonate(a.BaseApp), recoverPanics(config.Log), a.explainLimits(), offerProviders())
	event := &pb.ServeEvent{App: a.BaseApp, Router: router, Server: &http.Server{}}
	return a.OnServe().Trigger(event, func(e *pb.ServeEvent) error {
		a.handler, err = e.Router.BuildMux()
		return err
	})
}

// clear writes the settings and removes PocketBase's default collection.
func (a *application) clear() error {
	settings := a.Settings()
	settings.Meta.AppName = backend.NamePlaceholder
	settings.Meta.AppURL = addressPlaceholder
	settings.Logs.MaxDays = 0
	settings.Batch = pb.BatchConfig{Enabled: true, MaxRequests: 50, Timeout: 5, MaxBodySize: maxBodyBytes}
	settings.RateLimits = pb.RateLimitsConfig{Enabled: true, Rules: []pb.RateLimitRule{
		// Limits by IP address, for requests that guess passwords and codes or send mails.
		{Label: "*:auth", MaxRequests: 20, Duration: 60},
		{Label: "*:requestOTP", MaxRequests: 10, Duration: 60},
		{Label: "*:requestPasswordReset", MaxRequests: 10, Duration: 60},
		{Label: "*:requestVerification", MaxRequests: 10, Duration: 60},
		{Label: "*:requestEmailChange", MaxRequests: 10, Duration: 60},
	}}
	if err := a.Save(settings); err != nil {
		return err
	}
	// The removal comes last: PocketBase removes a collection's files in a goroutine, which
	// reads the settings.
	users, err := a.FindCollectionByNameOrId("users")
	if err != nil {
		return err
	}
	return a.Delete(users)
}

// rename puts the placeholder into the settings of a database that has another name there, as
// those of earlier versions do.
func rename(app *pb.BaseApp) error {
	settings := app.Settings()
	if settings.Meta.AppName == backend.NamePlaceholder {
		return nil
	}
	settings.Meta.AppName = backend.NamePlaceholder
	return app.Save(settings)
}

// tightenViews keeps the views of a schema from what is hidden. A database of an earlier version
// has others.
func tightenViews(app *pb.BaseApp) error {
	return app.RunInTransaction(func(tx pb.App) error { return views.Tighten(context.Background(), tx) })
}

// stop ships the remaining transactions and releases everything. OnTerminate ends the
// goroutine of PocketBase's log.
func (a *application) stop() error {
	shipped := a.ship()
	pools := a.pools()
	event := &pb.TerminateEvent{App: a.BaseApp}
	err := a.OnTerminate().Trigger(event, func(*pb.TerminateEvent) error { return a.ResetBootstrapState() })
	if a.pin != nil {
		if shipped == nil && inUse(pools) == 1 {
			a.finish()
		}
		_ = a.pin.Close()
	}
	if a.log != nil {
		err = errors.Join(err, a.log.Close())
	}
	return errors.Join(shipped, err)
}

// checkpointJob is PocketBase's daily checkpoint. It would interfere with shipping.
const checkpointJob = "__pbDBOptimize__"

// durabilityOf returns pragmas with which an acknowledged write survives a power cut.
// Scratch copies do not outlive the engine, so their writes do not wait for the disk. A
// shipped database neither waits for the local disk nor makes checkpoints by itself.
func durabilityOf(place backend.Place, config Config) string {
	switch {
	case config.Shared != "":
		return "&_pragma=synchronous(OFF)&_pragma=wal_autocheckpoint(0)"
	case place.Copy != "":
		return "&_pragma=synchronous(OFF)"
	}
	return "&_pragma=synchronous(FULL)"
}

// connect opens databases in a directory and bounds the pages of each, and their statements.
func connect(dir, durability string, config Config) pb.DBConnectFunc {
	return func(path string) (*dbx.DB, error) {
		pragmas := "?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=journal_size_limit(67108864)" +
			durability + "&_pragma=foreign_keys(ON)&_pragma=temp_store(MEMORY)&_pragma=cache_size(-2000)" +
			fmt.Sprintf("&_pragma=max_page_count(%d)", config.Limits.maxPages())
		db, err := bounded.Open(filepath.Join(dir, filepath.Base(path))+pragmas, config.bounds(config.Limits.Query))
		if err != nil {
			return nil, err
		}
		return dbx.NewFromDB(db, "sqlite"), nil
	}
}

// bounds are those of statements that may run for a time.
func (c *Config) bounds(most time.Duration) bounded.Bounds {
	return bounded.Bounds{
		Time: most, ValueBytes: maxValueBytes, ResultBytes: maxAnswerBytes,
		Enter: func(ctx context.Context) (func(), error) { return c.turns.Statement(ctx, c.owner.workspace()) },
	}
}

// impersonate gives requests of the project's members the rights of a superuser. No
// database has a superuser, so nobody can sign in as one.
func impersonate(app *pb.BaseApp) *hook.Handler[*pb.RequestEvent] {
	return &hook.Handler[*pb.RequestEvent]{
		Id:       "atelierIdentity",
		Priority: apis.DefaultLoadAuthTokenMiddlewarePriority + 1,
		Func: func(e *pb.RequestEvent) error {
			as := identityOf(e.Request.Context())
			switch {
			case as.Owner:
				collection, err := app.FindCachedCollectionByNameOrId(pb.CollectionNameSuperusers)
				if err != nil {
					return err
				}
				e.Auth = pb.NewRecord(collection)
			case as.Email != "":
				record, err := findUser(app, as)
				if err != nil {
					return e.NotFoundError("There is no such user.", err)
				}
				token, err := record.NewAuthToken()
				if err != nil {
					return err
				}
				// What renews a session returns the request's own token unless that can be renewed.
				e.Request.Header.Set("Authorization", token)
				e.Auth = record
			}
			if e.Auth != nil && !as.Owner {
				e.Response.Header().Set(backend.UserHeader, e.Auth.Collection().Name+"/"+e.Auth.Id)
			}
			err := e.Next()
			if as.Owner {
				err = explained(err)
			}
			return err
		},
	}
}

// explained adds the reason to a rejection for which PocketBase gives none, such as a wrong filter.
func explained(err error) error {
	var refusal *router.ApiError
	if !errors.As(err, &refusal) || refusal.Status != http.StatusBadRequest || len(refusal.Data) > 0 {
		return err
	}
	if reason, ok := refusal.RawData().(error); ok {
		return router.NewBadRequestError(refusal.Message+" "+reason.Error(), nil)
	}
	return err
}

// findUser returns the user with an e-mail address. Without a collection, it searches the
// only auth collection.
func findUser(app *pb.BaseApp, as backend.Identity) (*pb.Record, error) {
	if as.Collection != "" {
		return app.FindAuthRecordByEmail(as.Collection, as.Email)
	}
	collections, err := app.FindAllCollections(pb.CollectionTypeAuth)
	if err != nil {
		return nil, err
	}
	collections = slices.DeleteFunc(collections, func(c *pb.Collection) bool { return c.System })
	if len(collections) != 1 {
		return nil, fmt.Errorf("there are %d auth collections", len(collections))
	}
	return app.FindAuthRecordByEmail(collections[0], as.Email)
}

// recoverPanics answers 400 if PocketBase panics, because malformed input makes it panic.
// PocketBase itself would answer 500.
func recoverPanics(log *slog.Logger) *hook.Handler[*pb.RequestEvent] {
	return &hook.Handler[*pb.RequestEvent]{
		Id:       "atelierRecover",
		Priority: apis.DefaultPanicRecoverMiddlewarePriority + 1,
		Func: func(e *pb.RequestEvent) (err error) {
			defer func() {
				reason := recover()
				if reason == nil {
					return
				}
				if reason == http.ErrAbortHandler { //nolint:errorlint // net/http compares the panic's value
					panic(reason)
				}
				log.Warn("a request to a backend panicked", "path", e.Request.URL.Path, "reason", reason, "stack", string(debug.Stack()))
				err = e.BadRequestError("", nil)
			}()
			return e.Next()
		},
	}
}
