"""The record. Law: what is stored is never changed; every effect, die and signature of a battle passes through here."""
