// One call of a tool can run several commands and read several files.
const steps = {
  editor: ({ path }) => [["Edit", { path }]],
  apply_patch: (input) => [["apply_patch", { command: input.input ?? input }]],
  run_commands: ({ commands }) => commands.map((command) => ["Bash", { command }]),
  read_files: ({ files }) => files.map(({ path }) => ["Read", { path }]),
  search_codebase: ({ queries }) => queries.map((pattern) => ["Grep", { pattern }]),
}

const textOf = ({ content }) => content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
const joined = (texts) => ({ appendContext: texts.filter((text) => text).join("\n") || undefined })

let session = ""
let folder = process.cwd()
let started = false

const hook = ({ agentId, parentAgentId }, event, more) =>
  ask(folder, event, session, parentAgentId ? { agent_id: agentId, ...more } : more)

export default {
  name: "mem",
  manifest: { capabilities: ["hooks"] },
  setup(_, context) {
    session = context.session?.sessionId ?? ""
    folder = context.workspaceInfo?.rootPath ?? folder
    started = false
  },
  hooks: {
    async beforeRun({ snapshot }) {
      if (snapshot.parentAgentId) return joined([await hook(snapshot, "SubagentStart")])
      const source = snapshot.messages.length > 1 ? "resume" : "startup"
      const texts = started ? [] : [await hook(snapshot, "SessionStart", { source })]
      started = true
      const prompt = textOf(snapshot.messages.at(-1)).replace(/<\/?user_input[^>]*>/g, "")
      texts.push(await hook(snapshot, "UserPromptSubmit", { prompt }))
      return joined(texts)
    },
    async afterTool({ snapshot, tool, input, result }) {
      const texts = []
      for (const [i, [tool_name, tool_input]] of (steps[tool.name]?.(input) ?? []).entries()) {
        const { error } = [result.output].flat()[i] ?? {}
        const more = error ? { error: error.replace("exited with", "exit") } : {}
        const event = error ? "PostToolUseFailure" : "PostToolUse"
        texts.push(await hook(snapshot, event, { tool_name, tool_input, ...more }))
      }
      return joined(texts)
    },
  },
}
