package bunstore

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// goodbye is how long closing a connection may take.
const goodbye = time.Second

// errOutOfStep ends a connection whose next answer might belong to another request.
var errOutOfStep = errors.New("the server's answers do not match the queries")

// pipelineConn is a connection in pipeline mode. One goroutine uses it.
type pipelineConn struct {
	conn     *pgconn.PgConn
	pipeline *pgconn.Pipeline
	// ctx ends when the store is closed, and stops running requests.
	ctx      context.Context
	prepared map[*statement]preparedStatement
}

// preparedStatement describes the columns of a statement's result: names and formats.
type preparedStatement struct {
	*pgconn.StatementDescription
	formats []int16
	columns []string
}

func connectPipeline(ctx context.Context, p *pipeline) (*pipelineConn, error) {
	conn, err := pgconn.ConnectConfig(ctx, p.config)
	if err != nil {
		return nil, err
	}
	return &pipelineConn{conn, conn.StartPipeline(p.ctx), p.ctx, map[*statement]preparedStatement{}}, nil
}

// close says goodbye to the server. pgconn's work for a broken connection, such as a
// cancel request to the server, continues in the background if it takes longer.
func (c *pipelineConn) close() {
	_ = c.pipeline.Close()
	_ = c.conn.Conn().SetDeadline(time.Now().Add(goodbye))
	ctx, cancel := context.WithTimeout(context.Background(), goodbye)
	defer cancel()
	_ = c.conn.Close(ctx)
	select {
	case <-c.conn.CleanupDone():
	case <-ctx.Done():
	}
}

// answer replies to the requests until the given time. If the connection fails, it
// returns the error and the requests without a reply.
func (c *pipelineConn) answer(batch []*request, until time.Time) ([]*request, error) {
	// The end of the store also moves the deadline. Whichever comes second sees the
	// other.
	err := c.conn.Conn().SetDeadline(until)
	if err = errors.Join(err, c.ctx.Err()); err != nil {
		return batch, err
	}
	for len(batch) > 0 {
		answered, err := c.round(batch)
		batch = batch[answered:]
		switch {
		case c.conn.IsClosed() || errors.Is(err, errOutOfStep):
			return batch, err
		case err == nil:
		case isStale(err) && batch[0].renewals < maxRenewals:
			batch[0].renewals++
			c.forget(batch[0].statement)
		default:
			batch[0].reply <- reply{err: err}
			batch = batch[1:]
		}
	}
	return nil, nil
}

// isStale reports that a prepared statement cannot be used: the schema has changed since
// (feature_not_supported), or the statement no longer exists
// (invalid_sql_statement_name).
func isStale(err error) bool {
	var known *pgconn.PgError
	return errors.As(err, &known) && (known.Code == "0A000" || known.Code == "26000")
}

// round sends requests together and returns how many were replied to. An error belongs to
// the next one: the server has skipped those after it.
func (c *pipelineConn) round(batch []*request) (answered int, err error) {
	for i, asked := range batch {
		if err := c.prepare(asked.statement); err != nil && i == 0 {
			return 0, err
		} else if err != nil {
			batch = batch[:i]
			break
		}
	}
	for _, asked := range batch {
		known := c.prepared[asked.statement]
		c.pipeline.SendQueryStatement(known.StatementDescription, asked.values, nil, known.formats)
	}
	if err := c.pipeline.Sync(); err != nil {
		return 0, err
	}
	for i, asked := range batch {
		rows, err := c.read(asked.statement)
		if err != nil {
			c.settle()
			return i, err
		}
		asked.reply <- reply{rows: rows}
	}
	c.settle()
	return len(batch), nil
}

// read takes the next result, which belongs to the given statement.
func (c *pipelineConn) read(asked *statement) (resultRows, error) {
	next, err := c.pipeline.GetResults()
	if err != nil {
		return resultRows{}, err
	}
	reader, ok := next.(*pgconn.ResultReader)
	if !ok {
		return resultRows{}, errOutOfStep
	}
	return readRows(reader, c.prepared[asked].columns)
}

// settle reads to the end of a round, after which the server is ready for another.
func (c *pipelineConn) settle() {
	for !c.conn.IsClosed() {
		next, err := c.pipeline.GetResults()
		if _, ready := next.(*pgconn.PipelineSync); ready || next == nil && err == nil {
			return
		}
	}
}

// prepare compiles a statement on the server, if it is new to the connection.
func (c *pipelineConn) prepare(wanted *statement) error {
	if _, known := c.prepared[wanted]; known {
		return nil
	}
	c.pipeline.SendPrepare(wanted.name, wanted.text, nil)
	if err := c.pipeline.Sync(); err != nil {
		return err
	}
	next, err := c.pipeline.GetResults()
	c.settle()
	if err != nil {
		return err
	}
	description, ok := next.(*pgconn.StatementDescription)
	if !ok {
		return errOutOfStep
	}
	description.Name = wanted.name
	c.prepared[wanted] = described(description)
	return nil
}

// described requests bytea columns in binary form and all others as text.
func described(description *pgconn.StatementDescription) preparedStatement {
	known := preparedStatement{StatementDescription: description}
	for _, field := range description.Fields {
		format := int16(pgtype.TextFormatCode)
		if field.DataTypeOID == pgtype.ByteaOID {
			format = pgtype.BinaryFormatCode
		}
		known.formats = append(known.formats, format)
		known.columns = append(known.columns, field.Name)
	}
	return known
}

// forget makes the statement be prepared again on its next use.
func (c *pipelineConn) forget(stale *statement) {
	delete(c.prepared, stale)
	c.pipeline.SendDeallocate(stale.name)
	if err := c.pipeline.Sync(); err == nil {
		c.settle()
	}
}
