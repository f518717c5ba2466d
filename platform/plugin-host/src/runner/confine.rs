//! What keeps a plugin's process from doing anything but thinking.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::process::ExitCode;

use rustix::process::{Resource, Rlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};

use crate::wire::Load;

#[cfg(target_os = "linux")]
pub use calls::{forbid_all_but_loading, forbid_all_but_thinking};

/// Files a process may have open: its line, the three standard ones, and what the loader needs.
const FILES_MAX: u64 = 16;

/// As nice as one can be.
const LEAST_PRIORITY: i32 = 19;

/// The longest turn at a processor there is, in nanoseconds.
#[cfg(target_os = "linux")]
const LONGEST_TURN: u64 = 100_000_000;

/// Ends the process at once: no code of the library runs at the exit, and none can hold it up.
#[expect(unsafe_code, reason = "the standard library's exit would run what a library left to be run")]
pub fn leave() -> ExitCode {
    // SAFETY: nothing of this process outlives it.
    unsafe { libc::_exit(0) }
}

/// Closes every descriptor but the line and the standard ones. The house opens its files so that they are not handed on; this is for
/// what a library of the house forgot.
#[expect(unsafe_code, reason = "the descriptors belong to nobody in this process")]
pub fn close_all_but(line: &OwnedFd) -> io::Result<()> {
    let listed = std::fs::read_dir(if cfg!(target_os = "linux") { "/proc/self/fd" } else { "/dev/fd" })?;
    let open: Vec<RawFd> = listed.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok()).collect();
    for descriptor in open.into_iter().filter(|descriptor| *descriptor > 2 && *descriptor != line.as_raw_fd()) {
        // SAFETY: nothing in this process has opened any of these; one of them was the listing itself and is closed already.
        unsafe { libc::close(descriptor) };
    }
    Ok(())
}

/// From now on the process ends with the house.
pub fn die_with(house: i32) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
    // It may have ended before.
    let parent = rustix::process::getppid().map_or(0, |pid| pid.as_raw_nonzero().get());
    if parent == house { Ok(()) } else { Err(io::Error::other("the house is gone")) }
}

/// The process takes the processors when nobody else wants them: one that never rests costs the house nothing it needs.
///
/// Its turns are as long as they can be on purpose: whoever wakes up with a shorter turn takes the processor from it at once, where
/// otherwise they would wait for the turn's end. Kernels before 6.12 know no turns of one's own and leave that part out.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "nobody has wrapped the call")]
pub fn step_back() -> io::Result<()> {
    let wanted = libc::sched_attr {
        size: size_of::<libc::sched_attr>() as u32,
        sched_policy: libc::SCHED_BATCH as u32,
        sched_flags: 0,
        sched_nice: LEAST_PRIORITY,
        sched_priority: 0,
        sched_runtime: LONGEST_TURN,
        sched_deadline: 0,
        sched_period: 0,
    };
    // SAFETY: the wishes live through the call, which reads as much of them as their size says.
    if unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const wanted, 0) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

/// As above, as far as other systems have it.
#[cfg(not(target_os = "linux"))]
pub fn step_back() -> io::Result<()> {
    Ok(rustix::process::setpriority_process(None, LEAST_PRIORITY)?)
}

/// Bounds what the process may take.
pub fn limit(load: &Load) -> io::Result<()> {
    let set = |resource, most: u64| setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    set(Resource::As, own_memory().saturating_add(load.memory_bytes))?;
    set(Resource::Nofile, FILES_MAX)?;
    set(Resource::Fsize, 0)?;
    set(Resource::Core, 0)?;
    set(Resource::Nproc, 0)?;
    set(Resource::Memlock, 0)?;
    allow_time(load.cpu_seconds)
}

/// Allows so much more processor time. The house stops a round that lasts too long; this is for when the house itself is held up.
pub fn allow_time(seconds: u64) -> io::Result<()> {
    let used = u64::try_from(clock_gettime(ClockId::ProcessCPUTime).tv_sec).unwrap_or_default();
    let current = Some(used.saturating_add(1).saturating_add(seconds));
    Ok(setrlimit(Resource::Cpu, Rlimit { current, maximum: None })?)
}

/// What the process takes already: the pages of the binary and its libraries.
fn own_memory() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: u64 = statm.split(' ').next().and_then(|pages| pages.parse().ok()).unwrap_or_default();
    pages.saturating_mul(rustix::param::page_size() as u64)
}

/// Where the system has no such filter, limits and the house's deadlines are what holds.
#[cfg(not(target_os = "linux"))]
pub fn forbid_all_but_loading() -> Result<(), String> {
    Ok(())
}

/// As above.
#[cfg(not(target_os = "linux"))]
pub fn forbid_all_but_thinking() -> Result<(), String> {
    Ok(())
}

/// Filters of system calls. What is not named fails; what only somebody with bad intentions does ends the process, so that it is noticed.
#[cfg(target_os = "linux")]
mod calls {
    use std::collections::BTreeMap;

    use libc::c_long;
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, apply_filter,
    };

    type Rules = BTreeMap<i64, Vec<SeccompRule>>;

    /// Memory, time, the line, and ending.
    const THINKING: &[c_long] = &[
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

    /// What finding and reading libraries takes beyond that.
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
    const LOADING_OF_OLD: &[c_long] =
        &[libc::SYS_stat, libc::SYS_lstat, libc::SYS_access, libc::SYS_readlink, libc::SYS_time, libc::SYS_poll];
    #[cfg(not(target_arch = "x86_64"))]
    const LOADING_OF_OLD: &[c_long] = &[];

    /// Processes, connections, other processes' memory.
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
    const HOSTILE_OF_OLD: &[c_long] = &[libc::SYS_fork, libc::SYS_vfork];
    #[cfg(not(target_arch = "x86_64"))]
    const HOSTILE_OF_OLD: &[c_long] = &[];

    /// From now on: what loading a library takes, and nothing worse.
    ///
    /// # Errors
    /// The system has no filters; then no library is loaded.
    pub fn forbid_all_but_loading() -> Result<(), String> {
        let mut hostile = any(&[HOSTILE, HOSTILE_OF_OLD]);
        hostile.insert(libc::SYS_clone, vec![when(0, SeccompCmpOp::MaskedEq(libc::CLONE_THREAD as u64), 0)?]);
        install(hostile, SeccompAction::Allow, SeccompAction::KillProcess)?;
        // C libraries try the old call when there is none of the new one, whose arguments a filter cannot see.
        install(any(&[&[libc::SYS_clone3]]), SeccompAction::Allow, SeccompAction::Errno(libc::ENOSYS as u32))?;

        let mut rules = any(&[THINKING, LOADING, LOADING_OF_OLD]);
        own_only(&mut rules)?;
        let writes = (libc::O_ACCMODE | libc::O_CREAT | libc::O_TRUNC) as u64;
        rules.insert(libc::SYS_openat, vec![when(2, SeccompCmpOp::MaskedEq(writes), 0)?]);
        // The second filter is installed by these.
        rules.insert(libc::SYS_prctl, vec![when(0, SeccompCmpOp::Eq, libc::PR_SET_NO_NEW_PRIVS as u64)?]);
        install(rules, SeccompAction::Errno(libc::EPERM as u32), SeccompAction::Allow)
    }

    /// From now on: what thinking takes.
    ///
    /// # Errors
    /// The library broke the way to here.
    pub fn forbid_all_but_thinking() -> Result<(), String> {
        let mut rules = any(&[THINKING]);
        own_only(&mut rules)?;
        install(rules, SeccompAction::Errno(libc::EPERM as u32), SeccompAction::Allow)
    }

    /// Signals to this very process, which is how one aborts, and the limit that is moved with each round.
    fn own_only(rules: &mut Rules) -> Result<(), String> {
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
        let arch = std::env::consts::ARCH.try_into().map_err(|_| "calls cannot be filtered on this processor".to_owned())?;
        let filter = SeccompFilter::new(rules, otherwise, named, arch).map_err(|error| error.to_string())?;
        let program: BpfProgram = filter.try_into().map_err(|error: seccompiler::BackendError| error.to_string())?;
        apply_filter(&program).map_err(|error| format!("calls cannot be filtered: {error}"))
    }
}
