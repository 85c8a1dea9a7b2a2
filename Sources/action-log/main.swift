print("action-log")
