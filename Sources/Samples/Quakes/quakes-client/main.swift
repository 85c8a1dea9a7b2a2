import ActionLogTool

await ToolProgram(
  name: "quakes-client", summary: "stores earthquakes from the feeds on this device",
  commands: [.list, .refresh, .delete, .deleteAll, .log, .compact]
).main()
