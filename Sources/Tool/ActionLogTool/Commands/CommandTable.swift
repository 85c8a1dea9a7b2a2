/// Every command, in the order in which help lists them. Parsing, help and suggestions are made from this table.
enum CommandTable {
  static let all: [Command] = [
    .demo,
    .record,
    .list, .show, .tail, .cat, .stats, .mark, .marks,
    .state, .diff, .step, .tui, .replay, .report,
    .blame, .history, .watch, .until, .reverseUntil, .bisect, .minimise, .whatIf,
    .test, .bugReport,
    .export, .importing, .ship,
    .verify, .repair, .salvage, .backup, .snapshot, .compat, .freeze,
    .models, .completions, .manual, .help, .version,
  ]
}
