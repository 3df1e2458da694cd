"""The parts of ../results.py, one idea a file."""
