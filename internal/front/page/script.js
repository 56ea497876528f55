// Keys: / searches, j and k go to the next and the previous memory, x selects it, e edits it.
// Everything works without this file.
const search = () => document.getElementById("q")
if (location.hash === "#q") search()?.focus()
addEventListener("keydown", event => {
  const here = document.activeElement ?? document.body
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
  if (here.matches("textarea, select, input:not([type=checkbox])")) {
    if (event.key === "Escape") here.blur()
    return
  }
  const rows = [...document.querySelectorAll("main .rows a.title")]
  const row = here.closest(".rows > li")
  const at = rows.findIndex(link => row?.contains(link))
  const keys = {
    "/": () => search() ? search().select() : location.assign(
      document.querySelector("header a[href$='/memories']").href + "#q"),
    j: () => rows[Math.min(at + 1, rows.length - 1)]?.focus(),
    k: () => rows[Math.max(at - 1, 0)]?.focus(),
    x: () => row?.querySelector("input[type=checkbox]")?.click(),
    e: () => {
      const edit = rows[at]?.href.replace("/memory?", "/memory/edit?") ??
        document.querySelector("a[data-edit]")?.href
      if (edit) location.assign(edit)
    },
  }
  if (!Object.hasOwn(keys, event.key) || !document.querySelector("header")) return
  event.preventDefault()
  keys[event.key]()
})
