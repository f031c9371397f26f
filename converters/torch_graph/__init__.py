"""Graphs of torch as files that other versions of torch read too: for toolchains with their own.

graph.json            nodes, in order, of the graph and of those that its loops and branches take
weights.safetensors   what is stored, each once
"""
