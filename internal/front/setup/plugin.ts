// Written by mem setup %[1]s, and replaced by it. mem setup %[1]s --remove takes it out.
import { spawn } from "node:child_process"

const program = %[2]s
const args = %[3]s

const ask = (cwd, event, session, more) =>
  new Promise((done) => {
    const input = JSON.stringify({ session_id: session, cwd, hook_event_name: event, ...more })
    const hook = spawn(program, args, { cwd, stdio: ["pipe", "pipe", "ignore"], timeout: 3000 })
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

