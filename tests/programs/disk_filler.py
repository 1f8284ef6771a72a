"""Fill the working folder, at most 64 MB."""

with open("filler", "wb") as file:
    for _ in range(64):
        file.write(b"x" * 1024 * 1024)
        file.flush()
print("wrote it all")
