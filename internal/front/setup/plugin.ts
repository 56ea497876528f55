// Written by mem setup opencode, and replaced by it. mem setup opencode --remove takes it out.
import { spawn } from "node:child_process"

const program = %s
const args = %s

export const MemPlugin = async ({ directory }) => {
  // What was said in each session, for its system prompt is made anew for every request.
  const sessions = new Map()

  const ask = (event, session, prompt) =>
    new Promise((done) => {
      const input = JSON.stringify({ session_id: session, cwd: directory, hook_event_name: event, prompt })
      const hook = spawn(program, args, { cwd: directory, stdio: ["pipe", "pipe", "ignore"], timeout: 3000 })
      let answer = ""
      hook.stdout.setEncoding("utf8").on("data", (part) => (answer += part))
      hook.stdin.on("error", () => {})
      hook.on("error", () => done(""))
      hook.on("close", () => {
        try {
          done(JSON.parse(answer).hookSpecificOutput.additionalContext || "")
        } catch {
          done("") // nothing to say, or nothing that can be read: never a reason to disturb
        }
      })
      hook.stdin.end(input)
    })

  const said = (session) => {
    if (!sessions.has(session)) sessions.set(session, [ask("SessionStart", session)])
    return sessions.get(session)
  }

  return {
    "chat.message": async ({ sessionID }, { parts }) => {
      const prompt = parts.flatMap((part) => (part.type === "text" && !part.synthetic ? [part.text] : [])).join("\n")
      said(sessionID).push(ask("UserPromptSubmit", sessionID, prompt))
    },
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      if (!sessionID) return
      const texts = await Promise.all(said(sessionID))
      system.push(...texts.filter((text) => text))
    },
  }
}
