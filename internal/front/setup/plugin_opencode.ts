const tools = { bash: "Bash", edit: "Edit", write: "Write", read: "Read", grep: "Grep", glob: "Glob" }

export const MemPlugin = async ({ directory }) => {
  // What was said in each session, for its system prompt is made anew for every request.
  const sessions = new Map()

  const said = (session) => {
    if (!sessions.has(session)) {
      // A resumed session has none of the system prompts before, hence the source.
      sessions.set(session, [ask(directory, "SessionStart", session, { source: "clear" })])
    }
    return sessions.get(session)
  }

  return {
    "chat.message": async ({ sessionID }, { parts }) => {
      const prompt = parts.flatMap((part) => (part.type === "text" && !part.synthetic ? [part.text] : [])).join("\n")
      const texts = said(sessionID)
      texts.push(texts[0].then(() => ask(directory, "UserPromptSubmit", sessionID, { prompt })))
    },
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      if (!sessionID) return
      const texts = await Promise.all(said(sessionID))
      system.push(...texts.filter((text) => text))
    },
    "tool.execute.after": async ({ tool, sessionID, args }, result) => {
      const tool_name = tools[tool]
      if (!tool_name) return
      const exit = result.metadata?.exit
      const more = exit ? { error: `exit code ${exit}` } : {}
      const tool_input = { ...args, file_path: args.filePath }
      const event = exit ? "PostToolUseFailure" : "PostToolUse"
      const text = await ask(directory, event, sessionID, { tool_name, tool_input, ...more })
      if (text) result.output += "\n" + text
    },
  }
}
