// Package agent is one run of the agent: the loop in which a model calls tools
// on a project until it has nothing left to do.
//
// core/chat owns a run's row and its log; Agent owns the loop.
//
// # The parts of a run
//
// agent.go is the loop. A step is one model call. An answer with tool calls is carried out; an
// answer without calls concludes the run. Every chunk, call and result goes through
// Task.Record into the journal, and every model call through Task.Meter.
//
// conversation.go rebuilds the conversation. The log is the only memory: transcriptOf makes
// the conversation from events, so a resumed run and the next message of the chat see what the
// model saw. An answer is complete once its session.usage_info is in the log. An answer that
// broke off is closed by a tool.error for each of its calls and an assistant.message with what
// was seen, and is requested again.
//
// briefing.go tells the model what there is to know of the project (topicsOf in prompt.go): all of
// it with the first message, and what changed with later ones. The system prompt and earlier
// messages stay the same, so that vendors read them from their caches. core/chat stores what was told.
//
// executor.go carries out the calls of an answer and records their results; reading.go those
// that only read, some at a time. The tools, with their checks, are in core/agent/tools.
//
// conclude.go ends a run. A run that changed files ends when the project builds and its page
// works, as smoke.go judges. Until then the model is asked to fix what is wrong, up to three times
// for an error; after that the run says so and ends with "limit". A model that sees pictures is
// shown its first build of a project, once, at the widths of a phone and of a desk. In plan mode the last answer is
// parsed as a plan (core/plan.go).
//
// question.go ends a run with a question to the person: the last event has it, nothing waits, and
// the chat's next message is the answer. todo.go carries the list of steps over where its call is
// cut from the conversation.
//
// opening.go looks at the project before the model is asked, for the commands that want that.
//
// guards.go detects loops and ends the run (circuit breaker): 60 steps, the same failing call three
// times, six steps that bring nothing new, an endless answer, or credit that runs out in the middle
// of an answer.
//
// client.go makes a metered model call, and retry.go repeats one with exponential back-off.
// record.go writes the run's own entries into the log.
//
// budget.go, compact.go, summary.go and squeeze.go keep the conversation within the model's
// context window (compaction). The estimate of tokens is corrected by the vendor's own counts and refusals.
// When the window is full, old results go first, then what was read again. Then the model
// writes a summary of the oldest part, which keeps the person's own words. At last the largest
// parts are cut. core/chat stores the summary, and what a token is, for the next runs.
//
// resume.go continues a run after a crash.
//
// # After a crash
//
// A detached run is queued again and continues from its log; a run that a client waited for
// ends as "interrupted". Before a tool changes a file, its call is flushed to the log and an
// intent, which is a write-ahead note, to the run's row. The process that resumes the run
// compares the intent with the disk, so nothing is done twice. Commands are not repeated: the
// model is told. A run that makes no progress three times in a row is given up. A process that
// lost a run's lease notices before its next change (core/chat/lease.go).
//
// # The version of a run
//
// A run's version holds exactly the paths that the run changed. They gather in the run's row,
// in the same transaction as the file.changed events. The intent covers the one change that a
// crash may have left unreported, and vcs.Commit.Paths leaves everything else staged. Before a
// run first touches a path, what people had staged there becomes a version of theirs ("Edited
// by hand"); other runs' paths are excepted. core/versions undoes a run.
package agent
