"""The proof. Law: whoever holds the log can check it alone; nothing here imports the store or the API."""
