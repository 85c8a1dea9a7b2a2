import ActionLogTool

await ToolProgram(name: "animals", command: .animals).main()
