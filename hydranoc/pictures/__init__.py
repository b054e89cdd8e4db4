"""Pictures of networks and plots of figures."""
