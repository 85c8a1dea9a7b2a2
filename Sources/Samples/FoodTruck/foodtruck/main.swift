import ActionLogTool

await ToolProgram(name: "foodtruck", command: .foodTruck).main()
