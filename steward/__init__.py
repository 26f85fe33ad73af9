"""The steward: answers how work is going, from evidence, and says what it could not read.

It knows no Lark, no scheduler and no environment; `bot` brings those. Layers, arrows downwards only:
testing > store | dispatch | endpoints | sources | world > control > policy | ports > reading > texts > model > errors.
"""
