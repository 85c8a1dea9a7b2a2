// What the pages share besides values and lists.
const number = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, "\u202f");
const plural = (count, noun) => number(count) + " " + noun + (count === 1 ? "" : "s");
const timeOf = (time) => time.slice(0, 10) + " " + time.slice(11, 23);
const say = (text) => { byId("live").textContent = text; };
const nothing = "nothing";

// A long type is truncated at its beginning, because its end is more specific.
function typeOf(action) {
  const type = element("span", "type");
  type.append(element("bdi", "", escaped(action.type)));
  type.title = escaped(action.type);
  return type;
}

function fact(host, name, text) {
  host.append(element("dt", "", name), element("dd", "", text));
}

// Whether a text is a condition, by the rules of the terminal: it contains a comparison, or it begins like a condition and
// contains an operator.
function isCondition(text) {
  if (/==|!=|[<>]/.test(text)) return true;
  const begins = (word) => /^(\/|'|\(|count\(|data\/|meta\/)|^(not|type|seq|time|data|meta|true|false)$/.test(word ?? "");
  const words = text.split(/\s+/);
  if (!begins(words[0])) return false;
  if (words[0] === "not" && begins(words[1])) return true;
  return words.some((word, index) => index > 0 && (/^(like|contains|exists|changed)\)*$/.test(word)
    || /^(and|or)$/.test(word) && begins(words[index + 1])));
}

// Selects the pane that is visible on a narrow screen.
function pane(name) {
  document.body.dataset.pane = name;
  for (const tab of document.querySelectorAll("[data-tab]")) {
    tab.setAttribute("aria-pressed", String(tab.dataset.tab === name));
  }
}
