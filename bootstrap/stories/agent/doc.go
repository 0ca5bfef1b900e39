// Package agent tests the stories of chats and runs of the agent: streams, plans, commands,
// attachments, credit, and models that misbehave.
package agent
