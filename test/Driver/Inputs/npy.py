"""npy.py FOLDER NAME INDEX...: type and shape of NAME.npy, and some elements."""

import ast
import struct
import sys

with open(f"{sys.argv[1]}/{sys.argv[2]}.npy", "rb") as file:
    data = file.read()
assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
(length,) = struct.unpack("<H", data[8:10])
assert (10 + length) % 64 == 0 and data[9 + length:10 + length] == b"\n"
header = ast.literal_eval(data[10:10 + length].decode())
assert not header["fortran_order"]
code = {"f4": "f", "i4": "i", "u2": "H"}[header["descr"][1:]]
values = [each[0] for each in struct.iter_unpack("<" + code, data[10 + length:])]
count = 1
for extent in header["shape"]:
    count *= extent
assert count == len(values), (count, len(values))
print(sys.argv[2], header["descr"], header["shape"],
      *(f"{values[int(index)]:.6g}" for index in sys.argv[3:]))
