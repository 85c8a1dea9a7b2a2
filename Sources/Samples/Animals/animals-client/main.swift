import ActionLogTool

await ToolProgram(
  name: "animals-client", summary: "reads and changes animals, in a store on this device or on a server",
  commands: [.list, .add, .update, .delete, .reloadSample, .log]
).main()
