"""A Lark platform on loopback, signing and answering with its own code."""
