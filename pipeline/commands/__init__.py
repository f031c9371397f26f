"""The commands of the console script: one file a command, loaded when it is called."""
