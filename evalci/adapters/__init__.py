"""The executor and judge protocol: what adapters are told, what they must answer, and how one call is made."""
