"""Take 1 GB."""

taken = bytearray(1024 * 1024 * 1024)
print("took it all")
