"""What is drawn at random: networks, a file for each family, and what is sent over them."""
