"""The rules. Law: pure; no clock, no entropy, no files, no database, no HTTP."""
