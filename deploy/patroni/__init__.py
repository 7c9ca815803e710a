"""Three PostgreSQL nodes with Patroni, etcd and HAProxy on one machine, and the drill that breaks them.

Law: each node has a network of its own and can be lost like a machine; nothing of it is reached from outside, and
nothing of it is left.
"""
