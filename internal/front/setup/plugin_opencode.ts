export const MemPlugin = async ({ directory }) => {
  // What was said in each session, for its system prompt is made anew for every request.
  const sessions = new Map()

  const said = (session) => {
    if (!sessions.has(session)) sessions.set(session, [ask(directory, "SessionStart", session)])
    return sessions.get(session)
  }

  return {
    "chat.message": async ({ sessionID }, { parts }) => {
      const prompt = parts.flatMap((part) => (part.type === "text" && !part.synthetic ? [part.text] : [])).join("\n")
      said(sessionID).push(ask(directory, "UserPromptSubmit", sessionID, { prompt }))
    },
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      if (!sessionID) return
      const texts = await Promise.all(said(sessionID))
      system.push(...texts.filter((text) => text))
    },
  }
}
