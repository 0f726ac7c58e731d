"""Clouds of many: one for each user of Keystone, or one for each project of a file of tokens."""

from hotplate.server.clouds.projects import checked_clouds, clouds_of_projects
from hotplate.server.clouds.users import authority_settings, clouds_of_users

__all__ = [
    "authority_settings",
    "checked_clouds",
    "clouds_of_projects",
    "clouds_of_users",
]
