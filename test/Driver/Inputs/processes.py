# What tests on processes ask of /proc.
import os


def status(pid):
    """State and parent of a process; None where it is gone."""
    try:
        with open("/proc/%d/stat" % pid) as file:
            return file.read().rpartition(")")[2].split()[:2]
    except OSError:
        return None


def children(parent):
    pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    return [pid for pid in pids if (status(pid) or ["", ""])[1] == str(parent)]
