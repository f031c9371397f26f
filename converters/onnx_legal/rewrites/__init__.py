"""What stands for operators that OpenVINO lacks or gets wrong: one file an idea."""
