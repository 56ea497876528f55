const tools = { bash: "Bash", edit: "Edit", write: "Write", read: "Read", grep: "Grep", find: "Glob" }

export default function (pi) {
  const hook = (ctx, event, more) => ask(ctx.cwd, event, ctx.sessionManager.getSessionId(), more)

  let source = "startup" // of a start that the model has not seen; "" for none
  pi.on("session_start", async () => void (source = "startup"))
  pi.on("session_compact", async () => void (source = "compact"))
  pi.on("session_before_compact", async (_, ctx) => void (await hook(ctx, "PreCompact")))
  pi.on("session_shutdown", async (_, ctx) => void (await hook(ctx, "SessionEnd")))

  pi.on("before_agent_start", async ({ prompt }, ctx) => {
    const texts = source ? [await hook(ctx, "SessionStart", { source })] : []
    source = ""
    texts.push(await hook(ctx, "UserPromptSubmit", { prompt }))
    const content = texts.filter((text) => text).join("\n")
    // The session keeps the message, so a resumed one still has it.
    if (content) return { message: { customType: "mem", content, display: false } }
  })

  pi.on("tool_result", async (event, ctx) => {
    const tool_name = tools[event.toolName]
    if (!tool_name) return
    const error = event.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
    const more = event.isError ? { error } : {}
    const name = event.isError ? "PostToolUseFailure" : "PostToolUse"
    const text = await hook(ctx, name, { tool_name, tool_input: event.input, ...more })
    if (text) return { content: [...event.content, { type: "text", text }] }
  })
}
