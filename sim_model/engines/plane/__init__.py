"""The third engine: moves flits by planes, one bit for each of 64 routers, exact to the cycle."""
