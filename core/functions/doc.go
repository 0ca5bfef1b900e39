// Package functions answers for the functions of projects: /_fn/<name> on the hosts of previews,
// with test data, and of published sites, with live data.
//
// The code of a function belongs to the build of its project's pages: that of the preview, or the
// live deployment. A functions.Runner runs it, which knows nothing of the service. Whatever a
// function asks for is answered by host, which is where its rights are decided:
//
//   - Records are read with the token of the caller's request, or, by data.admin, with all rights.
//     A function is its project's own code, so this is no more than who publishes may do. What it
//     changes of live data with all rights is in the audit log, as the function's (adminchanges.go).
//   - Requests to the network go to the hosts that the workspace lists, through the guard.
//   - Mails go where those of the backend go: test mails are kept, and live ones count against the
//     project's quota.
//   - Prompts go to the workspace's AI provider, within its credit. A process answers at most
//     MaxPromptsAnHour for an environment, GuestPrompts of them for visitors who have not signed in.
//
// A function with a schedule runs by the clock as well, with live data and the live deployment's
// code (clock.go).
//
// While an admin of the installation keeps a site down (publish.Takedowns), nothing of its live side
// runs or leaves: its functions and its data are 451 to visitors (adapters/sitehost), schedules pass
// without a run, and mails to end users are refused (backends.Mailbox); those queued before still go
// out. Members keep their data, previews and test functions, with which they repair what was wrong.
//
// A stranger learns that a function failed and nothing else. The project's members find the error
// and the console in the log (package calllog), without the values of the environment.
package functions
