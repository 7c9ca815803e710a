"""Keys and notes of other people: what the reference programs and public logs have published."""

from typing import Final

from replays.audit.secretkey import SecretKey
from replays.audit.vkey import COSIGNATURE, PublicKey

# golang.org/x/mod/sumdb/note, note_test.go.
PETER: Final = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
PETER_SECRET: Final = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz"
ENOCH: Final = "EnochRoot+af0cfe78+ATtqJ7zOtqQtYqOo0CpvDXNlMhV3HeJDpjrASKGLWdop"
TEXT: Final = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
PETER_LINE: Final = (
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
)
ENOCH_LINE: Final = (
    "— EnochRoot rwz+eBzmZa0SO3NbfRGzPCpDckykFXSdeX+MNtCOXm2/5n2tiOHp+vAF1aGrQ5ovTG01oOTGwnWLox33WWd1RvMc+QQ=\n"
)
NOTE: Final = f"{TEXT}\n{PETER_LINE}{ENOCH_LINE}"

# A checkpoint of a public Certificate Transparency log, as it and four public witnesses have signed it (May 2026).
PUBLIC_TEXT: Final = (
    "arche2025h1.staging.ct.transparency.dev\n1432088532\nU7WM79jrzyhGZ5/GUBTpM7NzwdyfFx61t3RovgcC4Ro=\n"
)
PUBLIC_NOTE: Final = f"""{PUBLIC_TEXT}
— arche2025h1.staging.ct.transparency.dev zTM8sQAAAZ5W0WdjBAMARjBEAiBjW5IQf9pvsYLfQFX6hoGREPMHbdQ3urbllzalApkptQIgIpwtEroeW2BXaHAI4kJXFbon5Ch9MNL5zRNZ55lvGt0=
— arche2025h1.staging.ct.transparency.dev ui8GwCF1+kWqZrxGdhj4aX3gcw7XUlXQQabg/27lefwhUkzbC3NygNI75MdhL1bfTW9g8Ei59RA23oHP7Ry1k3ZFWwQ=
— transparency.dev/DEV:witness-little-garden 2AQqhwAAAABqEiEgzgFIqqhbUoDwjMWE6UP8nd8/KYTzwZ2rhIgcqoXHAwVkjZr4AscylP3v7sEodkRAErumC2q44vdgJY096st5BQ==
— witness1.smartit.nu/witness1 pIyCDwAAAABqEiEghIp82KWebrw7/oHQwlTAm3g2RKS4+eebl8eO0WH+/iEcxZ75W3u5hNI7TOQtmJbqmNWVuE0tgh0XwzdZsDsUAQ==
— remora.n621.de 2net5wAAAABqEiEgPlfF3V06o0Y+fHM+J5J9s27wgxxcOVSpZ/2g/KSiXCg9DEZI+aVCIobWX9sXTynk5XeU/zZ0WBxtqB0DrAWfBw==
— witness.stagemole.eu Z/euoAAAAABqEiEgw0i+7g2ENfDAWHmtRzCfKTHSDwYDJA2NmKeGi9Y8FtEyOUvVr+AJmIY/2TUFucgKi7lI7cUiOvKFYe/TmN9DAg==
"""  # noqa: E501 - byte for byte
PUBLIC_TIME: Final = 1_779_573_024
PUBLIC_LOG: Final = "arche2025h1.staging.ct.transparency.dev+ba2f06c0+AU0vHmlGCS/PdN8b2OaGmKprLI8HKM+dJ472xgFYh15f"
PUBLIC_WITNESSES: Final = (
    "transparency.dev/DEV:witness-little-garden+d8042a87+BCtusOxINQNUTN5Oj8HObRkh2yHf/MwYaGX4CPdiVEPM",
    "witness1.smartit.nu/witness1+a48c820f+BPSFWg9G6KPiO7QPryYO5Xq4oYJJ+kAvLKLSimDhoxMO",
    "remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2",
    "witness.stagemole.eu+67f7aea0+BEqSG3yu9YrmcM3BHvQYTxwFj3uSWakQepafafpUqklv",
)

# Ours: the key of the first prototype's log, and keys made of plain seeds.
HOST: Final = "warlog.example"
VKEY: Final = "warlog.example+0fd0ac3e+Acp7VQbw34bBu93o3WtMl/TY2fVl8CNbWBlUpLrzQ2gZ"
BATTLE: Final = "0190b2c4d5e67f8091a2b3c4d5e6f708"


def secret(name: str = HOST, number: int = 1, kind: int = 1) -> SecretKey:
    return SecretKey(name, number.to_bytes(32), kind)


LOG: Final = secret()
SEAT: Final = secret(f"{HOST}/battle/{BATTLE}/seat1", 2, COSIGNATURE)
WITNESS: Final = secret("club.example/witness", 3, COSIGNATURE)

TWIN, OTHER_TWIN = secret(number=10_633), secret(number=66_932)
"""Two keys of one name whose four bytes of key id are the same: found by making 66,933 keys."""


def known(*vkeys: str) -> list[PublicKey]:
    return [PublicKey.parse(vkey) for vkey in vkeys]
