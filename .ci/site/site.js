// The side of each page: search, the handbook, and the pages of the module. Works from disk: the index is a script.
const { entries, handbook } = globalThis.documentation
const here = decodeURIComponent(location.pathname.split("/").slice(-2).join("/"))
const module = here.split("/")[0]
const side = document.getElementById("side")

function link([title, url], detail = "") {
  const a = document.createElement("a")
  a.href = "../" + url
  a.textContent = title
  if (url === here) a.setAttribute("aria-current", "page")
  if (detail) a.appendChild(document.createElement("small")).textContent = detail
  return a
}

function group(title, links) {
  if (links.length === 0) return []
  const heading = document.createElement("h2")
  heading.textContent = title
  return [heading, ...links]
}

const field = document.createElement("input")
field.type = "search"
field.placeholder = "Search (/)"
field.setAttribute("aria-label", "Search the documentation")
const list = document.createElement("div")
side.append(field, list)

function contents() {
  const inHandbook = new Set(handbook.map(([, url]) => url))
  const own = (kind) => entries.filter((e) => e[3] === kind && e[2] === module && !inHandbook.has(e[1])).map((e) => link(e))
  list.replaceChildren(
    ...group("Handbook", handbook.map((e) => link(e))),
    ...group("Modules", entries.filter((e) => e[3] === "module").map((e) => link(e))),
    ...group(`Pages of ${module}`, own("page")),
    ...group(`Types of ${module}`, own("type")))
}

// Every word must be found in the name, the place or the summary; a name that begins with the first one comes first.
function search(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return contents()
  const order = { page: 0, section: 1, module: 2, type: 3, member: 4 }
  const found = entries
    .filter((e) => words.every((w) => (e[0] + " " + e[2] + " " + e[4]).toLowerCase().includes(w)))
    .map((e) => [[!e[0].toLowerCase().startsWith(words[0]), !e[0].toLowerCase().includes(words[0]), order[e[3]]], e])
    .sort(([a], [b]) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2])
  const most = 60
  const heading = `${found.length} found${found.length > most ? `, the first ${most}` : ""}`
  list.replaceChildren(...group(heading, found.slice(0, most).map(([, e]) => link(e, [e[2], e[4]].filter(Boolean).join(": ")))))
  if (found.length === 0) list.textContent = "Nothing found."
}

field.addEventListener("input", () => search(field.value))
field.addEventListener("keydown", (event) => {
  if (event.key === "Enter") list.querySelector("a")?.click()
  if (event.key === "Escape") { field.value = ""; contents() }
})
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== field) { event.preventDefault(); field.focus() }
})
contents()

// A transcript is copied without what was printed.
for (const block of document.querySelectorAll("pre:not(.declaration)")) {
  const text = block.textContent
  const typed = text.split("\n").filter((line) => line.startsWith("$ ")).map((line) => line.slice(2))
  const button = block.appendChild(document.createElement("button"))
  button.textContent = typed.length > 0 ? "Copy commands" : "Copy"
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(typed.length > 0 ? typed.join("\n") : text)
    button.textContent = "Copied"
  })
}
