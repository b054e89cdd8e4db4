"""The registry of router families, and per family what fills its slots."""
