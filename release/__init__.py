"""What makes releases: loops that come with a wheel."""
