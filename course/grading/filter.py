"""The filter of system calls, built by libseccomp once and put on by each child.

No new process, no program, no socket to anywhere, no look into another process, no way to more rights.
Threads, files in the own folder and computing are left. What is refused raises a PermissionError.
"""

from __future__ import annotations

import errno
import sys
import tempfile
from typing import Any

_THREAD = 0x00010000  # CLONE_THREAD: a new thread, where a new process lacks it

REFUSED = {
    "new processes and programs": "fork vfork execve execveat",
    "sockets": "socket connect bind listen accept accept4 sendmsg sendmmsg",
    "other processes": "ptrace process_vm_readv process_vm_writev kill tkill tgkill rt_sigqueueinfo "
    "rt_tgsigqueueinfo pidfd_open pidfd_send_signal pidfd_getfd kcmp process_madvise migrate_pages "
    "move_pages",
    "rights": "setuid setgid setreuid setregid setresuid setresgid setfsuid setfsgid setgroups capset "
    "unshare setns chroot pivot_root keyctl add_key request_key personality",
    "mounts": "mount umount umount2 mount_setattr move_mount open_tree fsopen fsconfig fsmount fspick "
    "name_to_handle_at open_by_handle_at swapon swapoff quotactl",
    "memory outside the limit": "memfd_create memfd_secret shmget shmat msgget semget mq_open",
    "the kernel": "io_uring_setup io_uring_enter io_uring_register bpf perf_event_open userfaultfd "
    "init_module finit_module delete_module kexec_load kexec_file_load reboot syslog acct sethostname "
    "setdomainname iopl ioperm modify_ldt lookup_dcookie fanotify_init",
    "clocks and priorities": "settimeofday clock_settime clock_adjtime adjtimex sched_setscheduler "
    "sched_setattr sched_setparam ioprio_set setpriority setrlimit",
}


def filter_program() -> tuple[bytes, str]:
    """The program (BPF) for this machine, and why there is none where it is empty."""
    if sys.platform != "linux":
        return b"", "no filter of system calls on this system"
    try:
        import pyseccomp
    except (ImportError, OSError, RuntimeError) as problem:
        return b"", f"no filter of system calls: {problem}; install libseccomp2 and the extra [grade]"
    try:
        return _build(pyseccomp), ""
    except (OSError, RuntimeError, ValueError) as problem:
        return b"", f"no filter of system calls: libseccomp says {problem}"


def _build(seccomp: Any) -> bytes:
    program = seccomp.SyscallFilter(defaction=seccomp.ALLOW)
    no = seccomp.ERRNO(errno.EPERM)
    for names in REFUSED.values():
        for name in names.split():
            program.add_rule(no, name)
    other = seccomp.Arg(0, seccomp.MASKED_EQ, _THREAD, 0)
    program.add_rule(no, "clone", other)
    # Its flags lie in memory, where no filter looks; without it the C library goes back to clone.
    program.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")
    program.add_rule(no, "sendto", seccomp.Arg(4, seccomp.NE, 0))  # to an address; a pair of its own has none
    program.add_rule(no, "prlimit64", seccomp.Arg(2, seccomp.NE, 0))  # to set, not to ask
    program.add_rule(no, "ioctl", seccomp.Arg(1, seccomp.EQ, 0x5412))  # TIOCSTI: typing for somebody else
    with tempfile.TemporaryFile() as file:
        program.export_bpf(file)
        file.seek(0)
        return file.read()
