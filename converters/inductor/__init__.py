"""Packages of AOTInductor: programs compiled by a C++ compiler, for a kind of CPU."""
