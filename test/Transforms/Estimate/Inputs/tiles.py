# usage: tiles.py LIFTED
# The kernel with a proposal that its blocks do whole tiles of a product.
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read().rstrip()
end = text.rindex("}", 0, text.rindex("}"))
print(text[:end] + '  evo.proposal @tiles "schedule" "products" by "me"\n' + text[end:])
