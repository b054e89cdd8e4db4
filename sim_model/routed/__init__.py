"""The part of the model that all families with routing tables share."""
