"""Do a target's answers equal the original's?"""
