import ActionLogTool

await ActionLogTool(models: []).main()
