"""Programs that do harm, run as a suite would run them."""
