"""The one catalogue of what people read, in Chinese and English, data only.

A text is a `Text` constant or a table of them, grouped by where it is read. No module outside this package
holds a sentence for people; none in it decides anything.
"""
