"""Pictures of networks and plots of figures."""

import logging

# a failure to store its list of fonts, on a full disk, changes no picture
logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
