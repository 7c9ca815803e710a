"""The seat client. Law: what it signs it has checked, and what leaves this machine is on its disk first.

A player's own program: it follows a battle, decides every batch again, opens its links for the rolls that wait for
them, and signs what the player does. It believes the service in nothing.
"""
