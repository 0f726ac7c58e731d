"""Acting for users after their requests were answered: clouds, each with somebody's authority.

`AuthorityClouds` is what types get as their cloud on a server that uses Keystone: for each
authority one cloud, which is called with the user's own token first, then with that and a token of
the server itself, then with a trust. `trusts` makes and deletes these, `sweep` removes what nobody
needs any more. `ProjectClouds` is for servers without Keystone that have a cloud for each project.
"""

from hotplate.authority.clouds import AuthorityClouds
from hotplate.authority.projects import ProjectClouds
from hotplate.authority.settings import AuthoritySettings
from hotplate.authority.sweep import sweep, sweeping

__all__ = ["AuthorityClouds", "AuthoritySettings", "ProjectClouds", "sweep", "sweeping"]
