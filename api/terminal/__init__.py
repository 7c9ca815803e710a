"""The terminal: what people see who type. Law: the same words and numbers as the API; nothing is worked out here."""
