class Num {
  constructor(text) { this.text = text; }
}

const numberEnd = /[,\]}]|$/g;

// Parses JSON as the engine writes it: valid, and without white space. Objects become maps, so that member names cannot
// clash with JavaScript, and numbers keep their text, so that none is rounded.
function parse(text) {
  let at = 0;
  function string() {
    const start = at;
    let end = text.indexOf('"', at + 1);
    for (;;) {
      let slashes = 0;
      while (text.charCodeAt(end - 1 - slashes) === 0x5c) slashes++;
      if (slashes % 2 === 0) break;
      end = text.indexOf('"', end + 1);
    }
    at = end + 1;
    const raw = text.slice(start, at);
    return raw.includes("\\") ? JSON.parse(raw) : raw.slice(1, -1);
  }
  function value() {
    switch (text[at]) {
      case '"': return string();
      case "{": return object();
      case "[": return array();
      case "t": at += 4; return true;
      case "f": at += 5; return false;
      case "n": at += 4; return null;
    }
    numberEnd.lastIndex = at;
    const end = numberEnd.exec(text).index;
    const number = new Num(text.slice(at, end));
    at = end;
    return number;
  }
  function object() {
    const members = new Map();
    at++;
    if (text[at] === "}") { at++; return members; }
    for (;;) {
      const name = string();
      at++;
      members.set(name, value());
      if (text[at++] === "}") return members;
    }
  }
  function array() {
    const elements = [];
    at++;
    if (text[at] === "]") { at++; return elements; }
    for (;;) {
      elements.push(value());
      if (text[at++] === "]") return elements;
    }
  }
  return value();
}

const isContainer = (value) => value instanceof Map || Array.isArray(value);
const sizeOf = (value) => value instanceof Map ? value.size : value.length;

// Compares by code points: the engine's order of UTF-8 bytes.
function compareNames(a, b) {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    let left = a.charCodeAt(index), right = b.charCodeAt(index);
    if (left === right) continue;
    if (left >= 0xd800 && right >= 0xd800) {
      left = left >= 0xe000 ? left - 0x800 : left + 0x2000;
      right = right >= 0xe000 ? right - 0x800 : right + 0x2000;
    }
    return left - right;
  }
  return a.length - b.length;
}

const namesOf = new WeakMap();
function sortedNames(object) {
  let names = namesOf.get(object);
  if (!names) namesOf.set(object, names = [...object.keys()].sort(compareNames));
  return names;
}

// Control characters, bidirectional controls and invisible characters, which are shown as escapes. The command line has the same.
const unsafe = new RegExp(
  "[\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u115f\\u1160\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164]|"
    + "[\\ufeff\\uffa0\\ufff9-\\ufffb\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e007f}]", "gu");
const short = new Map([["\b", "\\b"], ["\t", "\\t"], ["\n", "\\n"], ["\f", "\\f"], ["\r", "\\r"]]);
function escaped(text) {
  return text.replace(unsafe, (found) => short.get(found)
    ?? Array.from({ length: found.length }, (_, index) =>
      "\\u" + found.charCodeAt(index).toString(16).padStart(4, "0")).join(""));
}
const quoted = (text) => '"' + escaped(text.replace(/["\\]/g, "\\$&")) + '"';

// A value in one line, truncated.
function line(value, limit = 400) {
  let text = "";
  (function append(value) {
    if (text.length > limit) return;
    if (value instanceof Num) text += value.text;
    else if (typeof value === "string") text += quoted(value.length > limit ? value.slice(0, limit + 1) : value);
    else if (value instanceof Map) {
      text += "{";
      sortedNames(value).forEach((name, index) => {
        if (text.length > limit) return;
        text += (index ? ", " : "") + quoted(name) + ": ";
        append(value.get(name));
      });
      text += "}";
    } else if (Array.isArray(value)) {
      text += "[";
      value.forEach((element, index) => {
        if (text.length > limit) return;
        if (index) text += ", ";
        append(element);
      });
      text += "]";
    } else text += String(value);
  })(value);
  return text.length > limit ? text.slice(0, limit) + "…" : text;
}

// Canonical JSON.
function json(value) {
  if (value instanceof Num) return value.text;
  if (value instanceof Map) {
    return "{" + sortedNames(value).map((name) => JSON.stringify(name) + ":" + json(value.get(name))).join(",") + "}";
  }
  if (Array.isArray(value)) return "[" + value.map(json).join(",") + "]";
  return JSON.stringify(value);
}

// RFC 6901.
const token = (text) => text.replace(/~/g, "~0").replace(/\//g, "~1");
const tokensOf = (pointer) => pointer === "" ? []
  : pointer.slice(1).split("/").map((part) => part.replace(/~1/g, "/").replace(/~0/g, "~"));
