"""How results and progress reach a terminal, CI or another program."""
