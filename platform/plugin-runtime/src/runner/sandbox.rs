//! Restricts a plugin process to pure computation.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::process::ExitCode;

use rustix::process::{Resource, Rlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};

use crate::wire::LoadCommand;

#[cfg(target_os = "linux")]
pub use syscalls::{allow_only_computing, allow_only_loading};

/// Maximum open files: the connection, the three standard ones and those the loader needs.
const FILES_MAX: u64 = 16;

/// The lowest scheduling priority.
const LOWEST_PRIORITY: i32 = 19;

/// The longest possible time slice, in nanoseconds.
#[cfg(target_os = "linux")]
const LONGEST_TIME_SLICE: u64 = 100_000_000;

/// Ends the process without running any exit handlers of the library.
#[expect(unsafe_code, reason = "the standard exit would run the library's exit handlers")]
pub fn exit() -> ExitCode {
    // SAFETY: nothing of this process outlives it.
    unsafe { libc::_exit(0) }
}

/// Closes all descriptors but the connection and the standard ones. The server opens its files with close-on-exec; this covers
/// descriptors that a dependency left open.
#[expect(unsafe_code, reason = "nothing in this process uses the descriptors")]
pub fn close_all_except(connection: &OwnedFd) -> io::Result<()> {
    let listed = std::fs::read_dir(if cfg!(target_os = "linux") { "/proc/self/fd" } else { "/dev/fd" })?;
    let open: Vec<RawFd> = listed.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect();
    for descriptor in open.into_iter().filter(|descriptor| *descriptor > 2 && *descriptor != connection.as_raw_fd()) {
        // SAFETY: nothing in this process uses these; one of them was the directory listing and is already closed.
        unsafe { libc::close(descriptor) };
    }
    Ok(())
}

/// Makes the process end when the server ends.
pub fn exit_with_parent(server_pid: i32) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
    // The server may have ended already.
    let parent = rustix::process::getppid().map_or(0, |pid| pid.as_raw_nonzero().get());
    if parent == server_pid { Ok(()) } else { Err(io::Error::other("the server has ended")) }
}

/// Gives the process the lowest scheduling priority, so that it only uses idle CPU time.
///
/// The time slice is as long as possible on purpose: a thread that wakes up with a shorter slice preempts this process at once.
/// Kernels before 6.12 ignore the time slice.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "there is no safe wrapper for the call")]
pub fn lower_priority() -> io::Result<()> {
    let attributes = libc::sched_attr {
        size: size_of::<libc::sched_attr>() as u32,
        sched_policy: libc::SCHED_BATCH as u32,
        sched_flags: 0,
        sched_nice: LOWEST_PRIORITY,
        sched_priority: 0,
        sched_runtime: LONGEST_TIME_SLICE,
        sched_deadline: 0,
        sched_period: 0,
    };
    // SAFETY: the attributes live through the call, which reads as many bytes as their size says.
    if unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// As above, as far as other systems support it.
#[cfg(not(target_os = "linux"))]
pub fn lower_priority() -> io::Result<()> {
    Ok(rustix::process::setpriority_process(None, LOWEST_PRIORITY)?)
}

/// Sets the resource limits of the process.
pub fn set_limits(load: &LoadCommand) -> io::Result<()> {
    let set = |resource, max: u64| setrlimit(resource, Rlimit { current: Some(max), maximum: Some(max) });
    set(Resource::As, own_memory().saturating_add(load.memory_bytes))?;
    set(Resource::Nofile, FILES_MAX)?;
    set(Resource::Fsize, 0)?;
    set(Resource::Core, 0)?;
    set(Resource::Nproc, 0)?;
    set(Resource::Memlock, 0)?;
    extend_cpu_limit(load.cpu_seconds)
}

/// Allows more CPU time. The server stops rounds that take too long; this limit holds if the server itself is delayed.
pub fn extend_cpu_limit(seconds: u64) -> io::Result<()> {
    let used = u64::try_from(clock_gettime(ClockId::ProcessCPUTime).tv_sec).unwrap_or_default();
    let current = Some(used.saturating_add(1).saturating_add(seconds));
    Ok(setrlimit(Resource::Cpu, Rlimit { current, maximum: None })?)
}

/// Memory in use already: the pages of the binary and its libraries.
fn own_memory() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = statm.split(' ').next().and_then(|pages| pages.parse().ok()).unwrap_or_default();
    pages.saturating_mul(rustix::param::page_size() as u64)
}

/// Without system call filters, only the limits and the server's timeouts apply.
#[cfg(not(target_os = "linux"))]
pub fn allow_only_loading() -> Result<(), String> {
    Ok(())
}

/// As above.
#[cfg(not(target_os = "linux"))]
pub fn allow_only_computing() -> Result<(), String> {
    Ok(())
}

/// System call filters. Calls that are not allowed fail; clearly hostile calls kill the process, so that they are noticed.
#[cfg(target_os = "linux")]
mod syscalls {
    use std::collections::BTreeMap;

    use libc::c_long;
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, apply_filter,
    };

    type Rules = BTreeMap<i64, Vec<SeccompRule>>;

    /// Memory, time, the connection, and exit.
    const COMPUTING: &[c_long] = &[
        libc::SYS_read,
        libc::SYS_readv,
        libc::SYS_recvfrom,
        libc::SYS_write,
        libc::SYS_writev,
        libc::SYS_sendto,
        libc::SYS_close,
        libc::SYS_fcntl,
        libc::SYS_ppoll,
        libc::SYS_mmap,
        libc::SYS_mremap,
        libc::SYS_munmap,
        libc::SYS_mprotect,
        libc::SYS_madvise,
        libc::SYS_brk,
        libc::SYS_futex,
        libc::SYS_clock_gettime,
        libc::SYS_clock_getres,
        libc::SYS_gettimeofday,
        libc::SYS_getrandom,
        libc::SYS_clock_nanosleep,
        libc::SYS_nanosleep,
        libc::SYS_restart_syscall,
        libc::SYS_sched_yield,
        libc::SYS_sched_getaffinity,
        libc::SYS_getpid,
        libc::SYS_gettid,
        libc::SYS_rt_sigaction,
        libc::SYS_rt_sigprocmask,
        libc::SYS_rt_sigreturn,
        libc::SYS_sigaltstack,
        libc::SYS_exit,
        libc::SYS_exit_group,
        libc::SYS_uname,
        libc::SYS_clone3,
    ];

    /// Also needed to find and read libraries.
    const LOADING: &[c_long] = &[
        libc::SYS_pread64,
        libc::SYS_fstat,
        libc::SYS_newfstatat,
        libc::SYS_statx,
        libc::SYS_faccessat,
        libc::SYS_readlinkat,
        libc::SYS_getcwd,
        libc::SYS_lseek,
        libc::SYS_rseq,
        libc::SYS_set_robust_list,
        libc::SYS_seccomp,
    ];

    #[cfg(target_arch = "x86_64")]
    const LEGACY_LOADING: &[c_long] =
        &[libc::SYS_stat, libc::SYS_lstat, libc::SYS_access, libc::SYS_readlink, libc::SYS_time, libc::SYS_poll];
    #[cfg(not(target_arch = "x86_64"))]
    const LEGACY_LOADING: &[c_long] = &[];

    /// Processes, connections, memory of other processes.
    const HOSTILE: &[c_long] = &[
        libc::SYS_execve,
        libc::SYS_execveat,
        libc::SYS_socket,
        libc::SYS_connect,
        libc::SYS_bind,
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_unshare,
        libc::SYS_setns,
        libc::SYS_bpf,
        libc::SYS_io_uring_setup,
    ];

    #[cfg(target_arch = "x86_64")]
    const LEGACY_HOSTILE: &[c_long] = &[libc::SYS_fork, libc::SYS_vfork];
    #[cfg(not(target_arch = "x86_64"))]
    const LEGACY_HOSTILE: &[c_long] = &[];

    /// Allows the system calls for loading a library.
    ///
    /// # Errors
    /// The system has no filters; then no library is loaded.
    pub fn allow_only_loading() -> Result<(), String> {
        let mut hostile = any(&[HOSTILE, LEGACY_HOSTILE]);
        hostile.insert(libc::SYS_clone, vec![when(0, SeccompCmpOp::MaskedEq(libc::CLONE_THREAD as u64), 0)?]);
        install(hostile, SeccompAction::Allow, SeccompAction::KillProcess)?;
        // With ENOSYS, C libraries fall back to `clone`, whose arguments a filter can check.
        install(any(&[&[libc::SYS_clone3]]), SeccompAction::Allow, SeccompAction::Errno(libc::ENOSYS as u32))?;

        let mut rules = any(&[COMPUTING, LOADING, LEGACY_LOADING]);
        allow_own_process(&mut rules)?;
        let writes = (libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC) as u64;
        rules.insert(libc::SYS_openat, vec![when(2, SeccompCmpOp::MaskedEq(writes), 0)?]);
        // Needed to install the second filter.
        rules.insert(libc::SYS_prctl, vec![when(0, SeccompCmpOp::Eq, libc::PR_SET_NO_NEW_PRIVS as u64)?]);
        install(rules, SeccompAction::Errno(libc::EPERM as u32), SeccompAction::Allow)
    }

    /// Allows the system calls for computing only.
    ///
    /// # Errors
    /// The filter cannot be installed.
    pub fn allow_only_computing() -> Result<(), String> {
        let mut rules = any(&[COMPUTING]);
        allow_own_process(&mut rules)?;
        install(rules, SeccompAction::Errno(libc::EPERM as u32), SeccompAction::Allow)
    }

    /// Allows signals to this process, for abort, and changing the CPU limit, for each round.
    fn allow_own_process(rules: &mut Rules) -> Result<(), String> {
        let own = u64::from(std::process::id());
        rules.insert(libc::SYS_tgkill, vec![when(0, SeccompCmpOp::Eq, own)?]);
        rules.insert(libc::SYS_prlimit64, vec![when(1, SeccompCmpOp::Eq, u64::from(libc::RLIMIT_CPU))?]);
        Ok(())
    }

    fn any(lists: &[&[c_long]]) -> Rules {
        lists.iter().flat_map(|list| list.iter()).map(|call| (*call, Vec::new())).collect()
    }

    fn when(argument: u8, op: SeccompCmpOp, value: u64) -> Result<SeccompRule, String> {
        let condition = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, op, value).map_err(|error| error.to_string())?;
        SeccompRule::new(vec![condition]).map_err(|error| error.to_string())
    }

    fn install(rules: Rules, otherwise: SeccompAction, named: SeccompAction) -> Result<(), String> {
        let arch =
            std::env::consts::ARCH.try_into().map_err(|_| "system calls cannot be filtered on this processor".to_owned())?;
        let filter = SeccompFilter::new(rules, otherwise, named, arch).map_err(|error| error.to_string())?;
        let program: BpfProgram = filter.try_into().map_err(|error: seccompiler::BackendError| error.to_string())?;
        apply_filter(&program).map_err(|error| format!("system calls cannot be filtered: {error}"))
    }
}
