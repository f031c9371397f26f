"""Stages' processes: started, heard, limited, and their ends explained."""
