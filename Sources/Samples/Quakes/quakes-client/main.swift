import ActionLogTool

await ToolProgram(
  name: "quakes-client", summary: "keeps earthquakes in a store on this device, fresh from the feeds",
  commands: [.list, .refresh, .delete, .deleteAll, .log, .compact]
).main()
