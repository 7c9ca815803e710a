"""How battlelog is run in earnest, and the drills that show it holds. Law: nothing in here is needed to play."""
