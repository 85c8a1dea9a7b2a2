import ActionLogTool

await ToolProgram(name: "quakes", command: .quakes).main()
