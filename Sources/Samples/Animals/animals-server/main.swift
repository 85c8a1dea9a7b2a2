import ActionLogTool

await ToolProgram(name: "animals-server", command: .serve).main()
