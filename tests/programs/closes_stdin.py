"""Close stdin unread, answer a little later."""

import os
import time

os.close(0)
time.sleep(0.05)
print("did not look")
