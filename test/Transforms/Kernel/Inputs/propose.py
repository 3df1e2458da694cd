# usage: propose.py LIFTED TEXT...
# Puts one proposal of the genome `options` for each TEXT at the end of the
# kernel in LIFTED: @p0, @p1, ...; a slash in a TEXT ends a line of it.
import sys

text = open(sys.argv[1]).read()
end = text.rindex("}", 0, text.rindex("}"))
proposals = [f'evo.proposal @p{i} "options" "{rewrites.replace("/", chr(92) + "0A")}" by "me"\n'
             for i, rewrites in enumerate(sys.argv[2:])]
print(text[:end] + "".join(proposals) + text[end:])
