/// The style sheet of a page about a history: light and dark, wide and narrow.
enum PageStyle {
  /// The whole style sheet.
  static let text = colours + layout + contents

  /// Every text has a contrast of 4.5 : 1 at least to what it stands on.
  private static let colours = #"""
    :root {
      color-scheme: light dark;
      --ground: #ffffff; --panel: #f6f7f9; --line: #d5d9e0; --text: #1b1f26; --faint: #5a6372;
      --accent: #1a56c4; --chosen: #dbe7fd; --hover: #eceff4;
      --added: #14693a; --added-ground: #dcf5e4; --removed: #a11d2b; --removed-ground: #fde3e5;
      --changed: #7d4a00; --changed-ground: #fdf0d2; --string: #14693a; --number: #7a2fb0; --word: #1a56c4;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --ground: #14171c; --panel: #1b1f26; --line: #363d49; --text: #e4e8ee; --faint: #9aa5b5;
        --accent: #83b1ff; --chosen: #21385f; --hover: #262c36;
        --added: #7ddba0; --added-ground: #12331f; --removed: #ff9ca5; --removed-ground: #41181d;
        --changed: #f3c46b; --changed-ground: #3b2b0b; --string: #8fd8a8; --number: #d3a7ff; --word: #83b1ff;
      }
    }

    """#

  private static let layout = #"""
    * { box-sizing: border-box; }
    html, body { height: 100%; margin: 0; }
    body {
      display: grid; grid-template: auto auto auto minmax(14em, 1fr) auto / minmax(0, 1fr); background: var(--ground);
      color: var(--text); font: 14px/1.5 system-ui, sans-serif;
    }
    header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .2em 1em; padding: .6em 1em .2em; }
    h1 { font-size: 1.15em; margin: 0; overflow-wrap: anywhere; }
    header p { margin: 0; color: var(--faint); overflow-wrap: anywhere; }
    header button { margin-inline-start: auto; }
    .notice {
      margin: .3em 1em; padding: .4em .8em; border-radius: 6px; color: var(--changed); background: var(--changed-ground);
      overflow-wrap: anywhere;
    }
    nav { padding: .3em 1em .6em; border-block-end: 1px solid var(--line); }
    .travel { display: flex; flex-wrap: wrap; align-items: center; gap: .4em; }
    .travel input[type=range] { flex: 1 1 12em; min-width: 8em; accent-color: var(--accent); }
    .travel input[type=number] { width: 7em; }
    #marks, #conditions { display: flex; flex-wrap: wrap; gap: .4em; margin-block-start: .4em; }
    #marks[hidden], #conditions[hidden], .tabs { display: none; }
    main {
      display: grid; grid-template-columns: minmax(16em, 5fr) minmax(16em, 6fr) minmax(16em, 6fr); min-height: 0;
    }
    section { display: flex; flex-direction: column; min-width: 0; min-height: 0; }
    section + section { border-inline-start: 1px solid var(--line); }
    .head { display: flex; flex-wrap: wrap; align-items: center; gap: .2em .8em; padding: .5em .8em; background: var(--panel); }
    h2 { font-size: 1em; margin: 0; overflow-wrap: anywhere; }
    .head input { flex: 1 1 8em; min-width: 6em; }
    .rows { position: relative; flex: 1 1 0; min-height: 6em; overflow: auto; }
    .space { position: relative; }
    #details { overflow: auto; }
    #details .head { position: sticky; inset-block-start: 0; z-index: 1; }
    footer { padding: .2em 1em; border-block-start: 1px solid var(--line); color: var(--faint); min-height: 1.9em; }
    footer p { margin: 0; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
    @media (max-width: 800px) {
      header h1 { flex: 1; } header p { order: 1; flex-basis: 100%; }
      .tabs { display: flex; gap: .4em; margin-block-start: .5em; }
      .tabs button { flex: 1; }
      main { grid-template-columns: minmax(0, 1fr); }
      section + section { border: 0; }
      section { display: none; }
      [data-pane=actions] #list, [data-pane=state] #tree, [data-pane=details] #details { display: flex; }
      .travel input[type=range] { order: -1; flex-basis: 100%; }
    }

    """#

  private static let contents = #"""
    button, input {
      font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--line); border-radius: 6px;
      padding: .1em .6em;
    }
    input[type=range] { padding: 0; border: 0; }
    button { cursor: pointer; }
    button:hover:enabled { background: var(--hover); }
    button:disabled { color: var(--faint); cursor: default; }
    button[aria-pressed=true] { background: var(--chosen); border-color: var(--accent); }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
    kbd { font: inherit; padding: 0 .4em; border: 1px solid var(--line); border-radius: 4px; background: var(--panel); }
    .row, #probe {
      position: absolute; inset-inline: 2px; height: 1.7em; line-height: 1.7em; padding-inline: .8em; white-space: nowrap;
      overflow: hidden; text-overflow: ellipsis; cursor: default;
    }
    #probe { visibility: hidden; inset-block-start: 0; }
    .row:hover { background: var(--hover); }
    .row[aria-selected=true] { background: var(--chosen); box-shadow: inset 3px 0 var(--accent); }
    .row span + span { margin-left: .6em; }
    .action { display: flex; }
    .seq {
      flex: none; min-width: var(--digits, 3em); text-align: end; color: var(--accent); font-variant-numeric: tabular-nums;
    }
    .time { flex: none; color: var(--faint); font-variant-numeric: tabular-nums; }
    .type { overflow: hidden; text-overflow: ellipsis; }
    .type:has(bdi) { direction: rtl; text-align: left; }
    bdi { direction: ltr; unicode-bidi: isolate; }
    .start, .remark { color: var(--faint); }
    .actor { flex: none; color: var(--number); max-width: 10em; overflow: hidden; text-overflow: ellipsis; }
    .mark { flex: none; color: var(--changed); }
    .action .values { display: flex; gap: .4em; padding: 0; overflow: hidden; }
    .action .values > * { overflow: hidden; text-overflow: ellipsis; padding: 0 .3em; margin: 0; }
    .value, .path, #pointer, #value, .values, dd {
      font-family: ui-monospace, "SFMono-Regular", "DejaVu Sans Mono", monospace; font-size: .93em;
    }
    .value .twisty { display: inline-block; width: 1em; color: var(--faint); }
    .row .twisty + .name { margin-left: .1em; }
    .name, .scalar, dd, ins, del, .path { unicode-bidi: isolate; }
    .size, .badge { color: var(--faint); }
    .badge { font-family: system-ui, sans-serif; font-size: .86em; }
    .string { color: var(--string); } .number { color: var(--number); } .boolean, .object { color: var(--word); }
    .row.added { background: var(--added-ground); } .row.added .badge { color: var(--added); }
    .row.removed { background: var(--removed-ground); } .row.removed .badge { color: var(--removed); }
    .row.changed { background: var(--changed-ground); } .row.changed .badge { color: var(--changed); }
    .row.inside .name::after { content: " •"; color: var(--changed); }
    .row[aria-selected=true].added, .row[aria-selected=true].removed, .row[aria-selected=true].changed {
      box-shadow: inset 3px 0 var(--accent), inset 0 0 0 1px var(--accent);
    }
    #differences { list-style: none; margin: 0; padding: .4em .8em; }
    #differences li { padding-block: .2em; }
    .path { border: 0; background: none; padding: 0; color: var(--accent); text-align: start; overflow-wrap: anywhere; }
    .path:hover { text-decoration: underline; }
    .sign { display: inline-block; width: 1.2em; font-weight: bold; }
    .added .sign { color: var(--added); } .removed .sign { color: var(--removed); } .changed .sign { color: var(--changed); }
    .values { margin: 0; padding-inline-start: 1.2em; }
    ins, del { display: block; text-decoration: none; padding: 0 .4em; border-radius: 4px; overflow-wrap: anywhere; }
    ins { color: var(--added); background: var(--added-ground); }
    del { color: var(--removed); background: var(--removed-ground); }
    ins::before { content: "+ "; } del::before { content: "− "; }
    dl { display: grid; grid-template-columns: minmax(5em, max-content) minmax(0, 1fr); gap: .1em .8em; margin: 0; padding: .4em .8em; }
    dt { color: var(--faint); overflow-wrap: anywhere; max-width: 14em; }
    dd { margin: 0; overflow-wrap: anywhere; }
    #selected { padding: .4em .8em; }
    #pointer { margin: 0; color: var(--accent); overflow-wrap: anywhere; }
    #value { margin: .2em 0; overflow-wrap: anywhere; }
    #blame p { margin: .3em 0; padding-inline: 0; }
    .buttons { display: flex; flex-wrap: wrap; gap: .4em; }
    dialog { color: inherit; background: var(--ground); border: 1px solid var(--line); border-radius: 10px; max-width: 34em; }
    dialog::backdrop { background: rgb(0 0 0 / .45); }
    dialog dt { max-width: none; }
    dialog dd { font: inherit; }
    .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
    @media (forced-colors: active) { .row[aria-selected=true] { outline: 2px solid Highlight; outline-offset: -2px; } }
    @media print { body { display: block; } .rows { overflow: visible; } }
    """#
}
