"""The store on PostgreSQL. Law: the same store in every respect; several processes on one database write one order.

Only this room imports `psycopg`, and it is imported only when such a store is opened.
"""
