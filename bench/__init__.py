"""Figures. Law: a time counts only as a ratio to a floor of the same run; tests never assert one."""
