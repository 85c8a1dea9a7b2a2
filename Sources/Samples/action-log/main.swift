import ActionLogTool
import AnimalsData
import CounterData

await ActionLogTool(models: sampleModels).main()
