"""What people ask of a battle. Law: pure folds over what the log says; imports the domain only; no store, no clock."""
