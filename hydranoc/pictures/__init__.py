"""Pictures of networks and plots of figures."""

import logging

# that it cannot keep its list of fonts, because a disk is full, changes no picture
logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
