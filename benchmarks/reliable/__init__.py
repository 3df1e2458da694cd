"""The parts of reliability.py."""
