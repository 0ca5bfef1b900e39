package tools

// personTools are for the person whom the agent works with.
func personTools() []tool {
	return []tool{
		{
			name:        TodoTool,
			description: "Show the person your list of steps, for work of three steps or more. Give the whole list each time; update it as you go.",
			parameters:  todoParameters,
			changes:     true,
			extra:       true,
			run:         writeTodo,
		},
		{
			name: AskTool,
			description: "Ask the person one question, with choices; they may also answer in their own words. Only for what they alone can decide and what changes the result: " +
				"decide everything else yourself. The run ends here, and continues with their answer.",
			parameters: askParameters,
			alone:      true,
			extra:      true,
			run:        askPerson,
		},
	}
}
