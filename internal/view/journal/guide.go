package journal

// This file holds the instructions for an agent on keeping entries, for the code that shows it its
// page.

// HowTo returns one line, for the end of the page of an agent.
func HowTo(agent string) string {
	return "`mem journal TEXT --agent " + agent + "` keeps a note of your own for about a week, " +
		"`mem core TEXT --agent " + agent + "` for good."
}

// Guide returns a section of the instructions for a coding agent that runs as this agent.
func Guide(agent string) string {
	return `## Your own memory

As the agent ` + agent + ` you have a memory of your own, which no other agent is told. It comes into your context at the start of a session, as ` + "`" + title + "`" + `. Keep there what you observe and learn for yourself; an entry of the journal fades after about a week, one of the core is permanent: use it sparingly.

    mem journal 'Ada prefers short answers' --agent ` + agent + `
    mem core 'I check twice before I delete' --agent ` + agent + `
`
}
