"""Answers for people: text and tables. JSON is in formats.py and the commands."""
