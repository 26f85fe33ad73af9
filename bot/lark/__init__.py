"""Lark / Feishu: the wire in, the wire out. The only package that knows its field names."""
