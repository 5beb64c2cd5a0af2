"""One verb a module: takes ports, returns a value and the facts that happened."""
