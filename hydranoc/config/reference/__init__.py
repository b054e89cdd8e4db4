"""What a configuration may say, for editors and for people: both made from the classes that validate it."""
