"""The registry of router families, and a room per family with its class."""
