import ActionLogTool

await ToolProgram(name: "counter", command: CounterCommand.command).main()
