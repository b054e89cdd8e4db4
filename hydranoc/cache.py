"""Folders of data kept between runs, under HYDRANOC_CACHE; by default in the user's cache folder."""

from sim_model.loops.folders import cache_folder, loop_folder, user_cache_folder, user_folder

__all__ = ["cache_folder", "loop_folder", "user_cache_folder", "user_folder"]
